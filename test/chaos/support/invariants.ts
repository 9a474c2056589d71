import { expect } from 'vitest';
import type { RolloutKey } from '../../../src/core/ids.js';
import { type Trajectory, trajectorySchema } from '../../../src/core/trajectory/trajectory.schema.js';
import { keys } from '../../../src/store/keys.js';
import { readRecord } from '../../../src/store/records/records.js';
import {
  attemptRecordSchema,
  type RolloutResult,
  verdictSchema,
} from '../../../src/store/records/records.schema.js';
import { readResult } from '../../../src/store/runs.js';
import { rolloutAccounts } from '../../support/call-accounts.js';
import type { ChaosRun } from './chaos-run.js';
import { commandOf, expectedOf, linesOf } from './chaos-tasks.js';
import { leftovers } from './leftovers.js';

/** What is looked at of a run, wherever and by whomever it was done. */
export type ChaosEvidence = Pick<
  ChaosRun,
  'rollouts' | 'store' | 'endpoint' | 'workers' | 'offspring' | 'temporaryFolder' | 'finished'
>;

export interface Allowed {
  /** How often another executor had to take over: no rollout may have more lost calls. */
  takeovers: number;
  /** Failed tries per rollout, when the endpoint is at fault. */
  failedCalls?: number;
  /** Attempts that a rollout may take, when its sandbox is at fault. */
  attempts?: number;
}

/** Waits for the run's end and asserts all that must hold whatever was done to it. */
export async function expectInvariants(chaos: ChaosEvidence, allowed: Allowed): Promise<void> {
  await chaos.finished();
  expect(await brokenInvariants(chaos, allowed)).toEqual([]);
}

/** What does not hold of a run that has ended, a sentence each. */
export async function brokenInvariants(chaos: ChaosEvidence, allowed: Allowed): Promise<string[]> {
  const broken: string[] = [];
  const recorded = new Set<string>();
  const lost = new Set<string>();
  for (const key of await chaos.rollouts()) {
    const name = `${key.taskId}/${key.sample}`;
    const accounts = await rolloutAccounts(chaos.store, key);
    for (const callId of [...accounts.answered, ...accounts.failed, ...accounts.lost]) {
      if (recorded.has(callId)) broken.push(`${name}: call ${callId} is recorded twice`);
      recorded.add(callId);
    }
    for (const callId of accounts.lost) lost.add(callId);
    if (accounts.lost.length > allowed.takeovers)
      broken.push(`${name}: ${accounts.lost.length} lost calls in ${allowed.takeovers} takeovers`);
    if (accounts.failed.length > (allowed.failedCalls ?? 0))
      broken.push(`${name}: ${accounts.failed.length} failed calls`);
    const result = await readResult(chaos.store, key);
    if (result === null) broken.push(`${name}: no result`);
    else for (const what of await brokenOf(chaos, key, result, allowed)) broken.push(`${name}: ${what}`);
  }
  const seen = new Set(chaos.endpoint.seen.map(({ callId }) => callId));
  if (seen.size !== chaos.endpoint.seen.length) broken.push('a call id was sent twice');
  for (const callId of seen) if (!recorded.has(callId)) broken.push(`request ${callId} has no record`);
  // A process may die between the intent and the request: charged all the same.
  for (const callId of recorded)
    if (!seen.has(callId) && !lost.has(callId)) broken.push(`call ${callId} was recorded but never made`);
  return [...broken, ...(await leftovers(chaos))];
}

async function brokenOf(
  chaos: ChaosEvidence,
  key: RolloutKey,
  result: RolloutResult,
  allowed: Allowed,
): Promise<string[]> {
  const broken: string[] = [];
  const wanted = expectedOf(key.taskId);
  const found = { stopReason: result.stopReason, reward: result.reward, turns: result.turns };
  for (const [what, value] of Object.entries(found)) {
    const should = wanted[what as keyof typeof found];
    if (value !== should)
      broken.push(`${what} is ${value} instead of ${should} (${result.failure?.message})`);
  }
  if (result.attempts > (allowed.attempts ?? 1)) {
    const first = await readRecord(
      chaos.store,
      attemptRecordSchema,
      keys.attemptRecord({ ...key, attempt: 1 }),
    );
    broken.push(
      `${result.attempts} attempts (the first: ${first?.stopReason} on ${first?.hostId}, ${JSON.stringify(first?.failure)})`,
    );
  }
  const attempt = { ...key, attempt: result.attempt };
  const verdict = await readRecord(chaos.store, verdictSchema, keys.verdict(attempt, 0));
  const effects = verdict?.testOutput.trim().split('\n') ?? [];
  const should = ['test runs: 1', ...linesOf(key.taskId)];
  if (effects.join(',') !== should.join(','))
    broken.push(`the tests found ${effects.join(',')} instead of ${should.join(',')}`);
  const trajectory = await readRecord(chaos.store, trajectorySchema, keys.trajectory(key));
  return [...broken, ...brokenTrajectory(key.taskId, trajectory)];
}

/** Every turn is there, in order, with each command and its own observation. */
function brokenTrajectory(taskId: string, trajectory: Trajectory | null): string[] {
  if (trajectory === null) return ['no trajectory'];
  const { turns, commands } = expectedOf(taskId);
  const messages = trajectory.timesteps.flatMap(({ chats }) => chats.flatMap((chat) => chat.messages));
  const asked = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.toolCalls.map((call) => JSON.parse(call.function.arguments).command)
      : [],
  );
  const observed = messages.flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []));
  const numbers = Array.from({ length: commands }, (_, i) => i);
  const broken: string[] = [];
  if (trajectory.timesteps.length !== turns)
    broken.push(`the trajectory has ${trajectory.timesteps.length} steps`);
  if (trajectory.timesteps.some(({ done }, i) => done !== (i === turns - 1)))
    broken.push('the trajectory is not done at its last step only');
  if (asked.join('\n') !== numbers.map((i) => commandOf(taskId, i)).join('\n'))
    broken.push(`the trajectory's commands are ${asked.join(' | ')}`);
  if (observed.join() !== numbers.map((i) => String(i + 1)).join())
    broken.push(`the trajectory's observations are ${observed.join(' | ')}`);
  return broken;
}
