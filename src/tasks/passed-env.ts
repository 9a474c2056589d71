import type { RunConfig } from '../core/run/run-config.schema.js';

/** Variables of the host that a task may ask for. One without a value is allowed and not set. */
export type HostEnv = Readonly<Record<string, string | undefined>>;

type PassingConfig = Pick<RunConfig, 'passEnv' | 'apiKeyEnv' | 'serve'>;

/** Settings, and credentials of the store and the cluster. */
const OUR_OWN = /^(LONGRUN|TEMPORAL|AWS)_/;

/** Whether a variable is the run's own: such a variable is never passed to a task, whoever lists it. */
export function isRunsOwn(name: string, { apiKeyEnv, serve }: Omit<PassingConfig, 'passEnv'>): boolean {
  return OUR_OWN.test(name) || name === apiKeyEnv || name === serve?.tokenEnv;
}

/**
 * What the tasks of a run get of the host's environment: the variables that the run lists, and nothing else. A run
 * that was started before there was a list goes on with what its tasks asked for then: they are frozen.
 */
export function passedEnv(config: PassingConfig, env: HostEnv): HostEnv {
  const names = (config.passEnv ?? Object.keys(env)).filter((name) => !isRunsOwn(name, config));
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}
