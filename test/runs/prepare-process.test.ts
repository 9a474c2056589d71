import { describe, expect, it } from 'vitest';
import { mergeProcessSettings } from '../../src/config/merge-settings.js';
import type { ProcessSettings } from '../../src/config/process-settings.schema.js';
import { prepareProcess } from '../../src/runs/prepare-process.js';
import { writeRun } from '../../src/runs/write-run.js';
import { openStore } from '../../src/store/index.js';
import { temporaryStateDir } from '../support/state.js';

const FLAGS = { environment: 'tblite', model: 'scripted/demo', sandbox: 'memory' } as const;
const NOWHERE = { LONGRUN_CONFIG: '' };

async function prepared(flags: Record<string, string>, changes: Partial<ProcessSettings> = {}) {
  const { settings } = await mergeProcessSettings({ ...FLAGS, ...flags }, NOWHERE);
  return prepareProcess({
    settings: { ...settings, ...changes },
    env: {},
    longrunVersion: '0',
    now: () => 0,
  });
}

describe('a run of groups is prepared', () => {
  it('with mode, groups and the plan that cycles its tasks', async () => {
    const { run, tasks } = await prepared({ groups: '5', groupSize: '2', tasks: '3', estimator: 'rloo' });
    expect(run).toMatchObject({
      mode: 'process',
      config: {
        groups: 5,
        groupSize: 2,
        samples: 2,
        estimator: 'rloo',
        groupPolicy: 'complete',
        deadGroups: 10,
      },
    });
    const { plan } = await writeRun(await openStore(await temporaryStateDir()), run, tasks);
    expect(plan.tasks.map(({ samples }) => samples)).toEqual([4, 4, 2]);
  });

  it('of eight members each when nobody says how many', async () => {
    expect((await prepared({ tasks: '1' })).run.config).toMatchObject({ groupSize: 8, groups: null });
  });

  it.each([
    [{ groupPolicy: 'min-valid' }, '--min-valid, from 1 to 8'],
    [{ groupPolicy: 'min-valid', minValid: '9' }, 'min_valid is 9, and a group has 8 members'],
    [{ minValid: '3' }, '--min-valid would do nothing'],
    [{ groupDeadlineMs: '1000' }, '--group-deadline-ms would do nothing'],
    [{ estimator: 'gpro' }, 'did you mean "grpo"?'],
    [{ groupSize: '0' }, '--group-size: found "0", accepted: a whole number from 1 to 1000'],
  ])('not at all from settings that contradict each other: %o', async (flags, words) => {
    const error = await prepared(flags as Record<string, string>).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'bad_input' });
    const { message, hint } = error as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(words);
  });
});
