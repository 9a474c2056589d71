import { badInput } from '../../../core/errors.js';
import { parseRewardOrder } from '../../../core/reward/reward-order.js';
import { STOP_REASONS, type StopReason } from '../../../core/rollout/outcome.js';
import { openOutput } from '../../../trajectories/files/output.js';
import { FAILED_FILE, filterEpisodes } from '../../../trajectories/filter/filter-episodes.js';
import { DEFAULT_FILTER, FILTER_GOALS, type FilterOptions } from '../../../trajectories/filter/options.js';
import type { CliIo } from '../../cli-io.js';
import { commandContext } from '../../command-context.js';
import { lookOf } from '../../look.js';
import { printJson, printLines } from '../../print.js';
import { wholeNumber } from '../../whole-number.js';
import { commandInputs } from '../traj-inputs.js';
import type { InputOptions, OutputFlags } from '../traj-options.js';
import { inputNames } from '../traj-options.js';
import { untilInterrupted } from '../until-interrupted.js';
import { anyNumber } from './any-number.js';
import { type FilterDone, filterDocument, renderFilter } from './render.js';

export interface FilterFlags extends InputOptions, OutputFlags {
  goal?: string;
  allowRefusedCalls?: boolean;
  minReward?: string;
  maxReward?: string;
  minTurns?: string;
  maxTurns?: string;
  maxTokens?: string;
  requireToolCalls?: boolean;
  requireReasoning?: boolean;
  stopReason?: string[];
  dedupe?: boolean;
  sample?: string;
  seed?: string;
  rewardOrder?: string;
}

/** `longrun traj filter`: writes, and says what each filter took. */
export async function filterLine(
  positionals: readonly string[],
  flags: FilterFlags,
  io: CliIo,
): Promise<void> {
  const context = await commandContext(flags, io);
  const options = filterOptions(flags);
  const names = inputNames(positionals, flags);
  const output = await openOutput(flags.output ?? 'filtered.jsonl', {
    force: flags.force === true,
    siblings: [FAILED_FILE],
  });
  try {
    const { inputs, rejected, progress, done } = await commandInputs(context, names, {
      strict: flags.strict === true,
      reject: (rejection) => output.reject(rejection),
    });
    const report = await untilInterrupted((check) =>
      filterEpisodes(inputs, options, output, () => {
        check();
        progress.step('trajectories read');
      }),
    );
    const files = await output.commit();
    done();
    const result: FilterDone = { report, files, broken: rejected(), output: output.path };
    if (context.json) return printJson(io, filterDocument(result));
    printLines(io, renderFilter(result, lookOf(io)));
  } finally {
    await output.abandon();
  }
}

function filterOptions(flags: FilterFlags): FilterOptions {
  const count = (flag: string, text: string | undefined): number | null =>
    text === undefined ? null : wholeNumber(flag, text);
  const sample = count('--sample', flags.sample);
  const seed = flags.seed === undefined ? 0 : wholeNumber('--seed', flags.seed, 0);
  if (flags.seed !== undefined && sample === null)
    throw badInput('--seed is given without --sample.', 'Say how many rows to draw: --sample 1000.');
  const options: FilterOptions = {
    goal: goalOf(flags.goal),
    allowRefusedCalls: flags.allowRefusedCalls === true,
    minReward: anyNumber('--min-reward', flags.minReward),
    maxReward: anyNumber('--max-reward', flags.maxReward),
    minTurns: count('--min-turns', flags.minTurns) ?? DEFAULT_FILTER.minTurns,
    maxTurns: count('--max-turns', flags.maxTurns),
    maxTokens: count('--max-tokens', flags.maxTokens),
    requireToolCalls: flags.requireToolCalls === true,
    requireReasoning: flags.requireReasoning === true,
    stopReasons: (flags.stopReason ?? []).map(stopReasonOf),
    dedupe: flags.dedupe === true,
    sample: sample === null ? null : { count: sample, seed },
    rewardOrder: parseRewardOrder(flags.rewardOrder),
  };
  requireOrder('reward', options.minReward, options.maxReward);
  requireOrder('turns', options.minTurns, options.maxTurns);
  requireReachable(options);
  return options;
}

function goalOf(text = 'training'): FilterOptions['goal'] {
  const goal = FILTER_GOALS.find((name) => name === text);
  if (goal) return goal;
  throw badInput(`--goal: found "${text}", accepted: ${FILTER_GOALS.join(', ')}.`);
}

function stopReasonOf(text: string): StopReason {
  const reason = STOP_REASONS.find((name) => name === text);
  if (reason) return reason;
  throw badInput(`--stop-reason: found "${text}", accepted: ${STOP_REASONS.join(', ')}.`);
}

function requireOrder(what: string, min: number | null, max: number | null): void {
  if (min !== null && max !== null && min > max)
    throw badInput(`--min-${what} ${min} is more than --max-${what} ${max}: no row could pass.`);
}

/** Only `natural` is a completed row. */
function requireReachable({ goal, stopReasons }: FilterOptions): void {
  if (goal !== 'training' || stopReasons.length === 0 || stopReasons.includes('natural')) return;
  throw badInput(
    `--stop-reason ${stopReasons.join(' ')}: rows that ended like this were cut short, and go: no row could pass.`,
    'Add --goal failure-recovery to keep them.',
  );
}
