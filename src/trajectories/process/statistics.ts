import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput } from '../../core/errors.js';
import { REWARD_SOURCES } from '../../core/trajectory/reward-signal.schema.js';
import { episodesOfGroup } from '../../records/episodes-of-group.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import { toWire } from '../../store/wire/wire.js';
import { readLines } from '../files/read-lines.js';
import { type StatsReport, statsReportSchema } from '../stats/stats-report.schema.js';
import { StatsTally } from '../stats/stats-tally.js';
import { REJECTED_FILE, type RejectedRow } from './group-rows.js';
import { LEDGER_FILE } from './growing-output.js';

const SECOND_MS = 1_000;
const NEWLINE = 0x0a;

/**
 * `statistics.json`: what hermes-agent's batch runner says of a run, and what longrun has beside it. All of it is
 * computed from the groups that were written and the rows of the folder, nothing is counted on the way: a run that
 * was interrupted has the same statistics as one that was not.
 */
export async function statisticsOf(
  store: ArtifactStore,
  run: RunRecord,
  plan: Plan,
  written: AsyncIterable<GroupRecord>,
  folder: string,
): Promise<Record<string, unknown>> {
  const { passThreshold, model, groupSize } = run.config;
  const tally = new StatsTally({ order: REWARD_SOURCES, passThreshold });
  const groups = { written: 0, valid: 0, invalid: 0, zero_variance: 0 };
  let closedAt = run.createdAt;
  for await (const record of written) {
    count(groups, record);
    closedAt = Math.max(closedAt, record.closedAt);
    for (const episode of await episodesOfGroup(store, run, record)) tally.add(episode);
  }
  const report = tally.report();
  const rejected = await rejectedIn(folder);
  const planned = plan.tasks.reduce((sum, { samples }) => sum + samples, 0) / (groupSize ?? 1);
  return {
    run_name: run.runId,
    distribution: run.environment.name,
    total_prompts: planned * (groupSize ?? 1),
    total_batches: planned,
    batch_size: groupSize,
    model,
    completed_at: new Date(closedAt).toISOString(),
    duration_seconds: Math.round((closedAt - run.createdAt) / 10) / (SECOND_MS / 10),
    tool_statistics: toolStatistics(report),
    reasoning_statistics: reasoningStatistics(report),
    discarded_no_reasoning: rejected.rollouts.get('reasoning')?.size ?? 0,
    groups: { planned, ...groups },
    rejected: rejected.counts,
    rows: await rowsIn(folder),
    rollouts: toWire(statsReportSchema, report),
  };
}

function toolStatistics({ tools }: StatsReport): Record<string, unknown> {
  const percent = (part: number, of: number): number =>
    of === 0 ? 0 : Math.round((10_000 * part) / of) / 100;
  return Object.fromEntries(
    tools.map(({ name, calls, success, failure }) => [
      name,
      {
        count: calls,
        success,
        failure,
        success_rate: percent(success, calls),
        failure_rate: percent(failure, calls),
      },
    ]),
  );
}

function reasoningStatistics({ reasoning: { answers, withReasoning } }: StatsReport): Record<string, number> {
  return {
    total_assistant_turns: answers,
    turns_with_reasoning: withReasoning,
    turns_without_reasoning: answers - withReasoning,
  };
}

function count(
  groups: { written: number; valid: number; invalid: number; zero_variance: number },
  { valid, zeroVariance }: GroupRecord,
): void {
  groups.written += 1;
  groups[valid ? 'valid' : 'invalid'] += 1;
  if (zeroVariance) groups.zero_variance += 1;
}

type Rejection = Pick<RejectedRow, 'format' | 'rule' | 'rollout_id'>;

function rejectionOf(text: string, where: string): Rejection {
  try {
    const row: Partial<Rejection> | null = JSON.parse(text);
    const { format, rule, rollout_id = null } = row ?? {};
    if (typeof format === 'string' && typeof rule === 'string') return { format, rule, rollout_id };
  } catch {
    // Named below, like what is JSON and no rejection.
  }
  throw badInput(
    `${where} is no rejection of longrun process`,
    '--force writes the folder anew from the groups that the store has; or choose another --output.',
  );
}

/** By format and rule, and the rollouts of each rule. */
export async function rejectedIn(folder: string): Promise<{
  counts: Record<string, Record<string, number>>;
  rollouts: Map<string, Set<string>>;
}> {
  const counts: Record<string, Record<string, number>> = {};
  const rollouts = new Map<string, Set<string>>();
  if (!(await readdir(folder)).includes(REJECTED_FILE)) return { counts, rollouts };
  const path = join(folder, REJECTED_FILE);
  for await (const line of readLines(path)) {
    if (!('text' in line)) continue;
    const { format, rule, rollout_id } = rejectionOf(line.text, `${path}:${line.number}`);
    const ofFormat = counts[format] ?? {};
    counts[format] = { ...ofFormat, [rule]: (ofFormat[rule] ?? 0) + 1 };
    if (rollout_id !== null) rollouts.set(rule, (rollouts.get(rule) ?? new Set()).add(rollout_id));
  }
  return { counts, rollouts };
}

/** Rows by file. */
export async function rowsIn(folder: string): Promise<Record<string, number>> {
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.jsonl') && name !== LEDGER_FILE)
    .sort();
  const rows: Record<string, number> = {};
  for (const name of names) {
    let count = 0;
    for await (const chunk of createReadStream(join(folder, name)) as AsyncIterable<Buffer>)
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
    rows[name] = count;
  }
  return rows;
}
