import { describe, expect, it } from 'vitest';
import { runConfigSchema } from '../../src/core/run/run-config.schema.js';
import { type HostEnv, isRunsOwn, passedEnv } from '../../src/tasks/passed-env.js';
import { RUN_CONFIG } from '../support/run-config-defaults.js';
import { serveConfig } from '../support/serve-config.js';
import { threat } from '../support/threat.js';

const HOST: HostEnv = {
  JUDGE_KEY: 'of the judge',
  PLAIN: 'plain',
  MODEL_KEY: 'of the model',
  API_TOKEN: 'of the API',
  LONGRUN_TRAJECTORY: 'with an upload key',
  AWS_SECRET_ACCESS_KEY: 'of the store',
  TEMPORAL_API_KEY: 'of the cluster',
};
const OWN = ['MODEL_KEY', 'API_TOKEN', 'LONGRUN_TRAJECTORY', 'AWS_SECRET_ACCESS_KEY', 'TEMPORAL_API_KEY'];

const config = (passEnv: string[] | null) => ({
  ...RUN_CONFIG,
  apiKeyEnv: 'MODEL_KEY',
  serve: serveConfig({ tokenEnv: 'API_TOKEN' }),
  passEnv,
});

describe(threat('a task', 'variables of the host'), () => {
  it('a run that lists none passes none', () => {
    expect(passedEnv(config([]), HOST)).toEqual({});
  });

  it('a run passes those that it lists and that are set, and no other', () => {
    expect(passedEnv(config(['JUDGE_KEY', 'UNSET']), HOST)).toEqual({
      JUDGE_KEY: 'of the judge',
      UNSET: undefined,
    });
  });

  it.each(OWN)('%s, which is the run’s own, is not passed though it is listed', (name) => {
    expect(isRunsOwn(name, config([]))).toBe(true);
    expect(passedEnv(config(['PLAIN', name]), HOST)).toEqual({ PLAIN: 'plain' });
  });

  it('a record of a run that was started before there was a list goes on with what its tasks ask for, without the run’s own', () => {
    const { passEnv: _, ...old } = config([]);
    const read = runConfigSchema.parse(old);
    expect(read.passEnv).toBeNull();
    expect(passedEnv(read, HOST)).toEqual({ JUDGE_KEY: 'of the judge', PLAIN: 'plain' });
  });
});
