import { expect } from 'vitest';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import type { RolloutResult } from '../../../src/store/records/records.schema.js';
import { containersOf } from '../../support/docker-host.js';
import { answerTest, type InlineTask, inlineTask } from '../../support/inline-task.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { runAgainst } from '../../support/model-run.js';
import { type Answer, runs, type SeenCall, says } from '../../support/model-server.js';
import { until } from '../../support/until.js';
import { childrenOf } from './processes.js';

/** A task whose agent misbehaves: its commands, one a turn, then it says that it is done. */
export interface Misbehaving extends Partial<Omit<InlineTask, 'taskId'>> {
  commands: (string | [command: string, timeoutSec: number])[];
  /** Instead of the commands, where the model itself misbehaves. */
  script?: (call: SeenCall) => Answer;
}

const ROLLOUTS = 24;
export const ANSWER = 'echo 42 > /app/answer';
/** Long enough to be there while the others misbehave. */
const WORK = `for i in 1 2 3 4 5; do echo $i >> /app/work; sleep 0.3; done; ${ANSWER}; wc -l < /app/work`;

/**
 * A run of 24 rollouts on a host with a worker: those that misbehave, and for the rest neighbours that do their
 * work. Checks that the neighbours came to no harm and that nothing is left; answers the others by name.
 */
export async function besideNeighbours<Name extends string>(
  host: LongrunHost,
  runId: string,
  misbehaving: Record<Name, Misbehaving>,
  config: Partial<RunConfig> = {},
): Promise<Record<Name, RolloutResult>> {
  const image = config.sandbox === 'bubblewrap' ? 'host' : 'debian:bookworm-slim';
  const names = Object.keys(misbehaving) as Name[];
  const neighbours = Array.from({ length: ROLLOUTS - names.length }, (_, i) => `neighbour-${i}`);
  const bad = names.map((name) => {
    const { commands: _commands, script: _script, ...task } = misbehaving[name];
    return inlineTask({ taskId: name, image, test: answerTest('42'), ...task });
  });
  const good = neighbours.map((taskId) => inlineTask({ taskId, image, test: answerTest('42') }));
  // Alternating, so that every misbehaving one has neighbours beside it.
  const tasks = good.flatMap((task, i) => [task, ...bad.slice(i, i + 1)]).concat(bad.slice(good.length));
  const { rollouts, server } = await runAgainst(
    host,
    runId,
    await Promise.all(tasks),
    (call) => answerTo(call, misbehaving),
    config,
  );
  expect(rollouts).toHaveLength(ROLLOUTS);
  for (const rollout of rollouts.filter(({ taskId }) => neighbours.includes(taskId)))
    expect(rollout).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      attempts: 1,
      turns: 2,
      suspectedTampering: [],
      failure: null,
    });
  const calls = rollouts.reduce(
    (sum, { turns, lostCalls, failedCalls }) => sum + turns + lostCalls + failedCalls,
    0,
  );
  expect(server.seen).toHaveLength(calls);
  await nothingLeft(host);
  return Object.fromEntries(rollouts.map((rollout) => [rollout.taskId, rollout])) as Record<
    Name,
    RolloutResult
  >;
}

function answerTo(call: SeenCall, misbehaving: Record<string, Misbehaving>): Answer {
  const opening = call.messages.find(({ role }) => role === 'user')?.content ?? '';
  const taskId = /Do (\S+)\./.exec(opening)?.[1] ?? '';
  const part = misbehaving[taskId] ?? { commands: [WORK] };
  if (part.script !== undefined) return part.script(call);
  const command = part.commands[call.turn];
  if (command === undefined) return says('Done.');
  return typeof command === 'string' ? runs(command) : runs(...command);
}

/** No container of this installation and no bubblewrap of this process. */
async function nothingLeft(host: LongrunHost): Promise<void> {
  await until(async () => (await containersOf(host.store)).length === 0, {
    what: 'no container is left over',
  });
  const sandboxes = childrenOf(process.pid).filter(({ command }) => command.startsWith('bwrap'));
  expect(sandboxes).toEqual([]);
}

/** What became of each, in a form whose difference says what went wrong. */
export function outcomesOf(found: Record<string, RolloutResult>) {
  return Object.fromEntries(
    Object.entries(found).map(([name, { stopReason, reward, attempts, failure }]) => [
      name,
      { stopReason, reward, attempts, failure: failure?.message ?? null },
    ]),
  );
}

/** The same for outcomes that are all alike. */
export function allAre<Outcome>(
  found: Record<string, RolloutResult>,
  outcome: Outcome,
): Record<string, Outcome> {
  return Object.fromEntries(Object.keys(found).map((name) => [name, outcome]));
}
