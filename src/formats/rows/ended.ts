import type { TimeStep } from '../../core/trajectory/trajectory.schema.js';

/** Timesteps of an episode that is over: the last one is done and has the reward. */
export function ended(timesteps: readonly TimeStep[], reward: number | null): TimeStep[] {
  return timesteps.map((step, i) => (i === timesteps.length - 1 ? { ...step, reward, done: true } : step));
}
