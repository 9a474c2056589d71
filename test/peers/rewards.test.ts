import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installedPython } from '../../scripts/setup/peers-folder.mjs';
import { chooseScorer } from '../../src/trajectories/score/choose-scorer.js';
import { evaluatedLine } from '../../src/trajectories/score/evaluated-line.js';
import { BUILT_IN_RUBRIC } from '../../src/trajectories/score/rubric.js';
import { episodeOf } from '../core/reward/episode-of.js';
import { temporaryFolder } from '../support/state.js';
import { items, outcomesOf } from '../trajectories/score/support.js';
import { runPeer } from './support/python.js';

const DOCS = new URL('../../docs/rewards.md', import.meta.url);
const ran = (command: string) => episodeOf([{ calls: [{ name: 'terminal', args: { command }, ok: true }] }]);

it('the reward program of docs/rewards.md scores episodes', async () => {
  const source = /```python\n([\s\S]*?)```/.exec(await readFile(DOCS, 'utf8'))?.[1] as string;
  const program = join(await temporaryFolder(), 'reward.py');
  await writeFile(program, source.replace(/^#!.*/, `#!${installedPython()}`));
  await chmod(program, 0o755);
  const scorer = await chooseScorer({
    rewardModel: program,
    baseUrl: null,
    judgeKeyEnv: 'none',
    classifierKeyEnv: 'none',
    rubric: BUILT_IN_RUBRIC,
    prices: {},
    concurrency: 1,
    batch: 1,
    timeoutMs: null,
    env: process.env,
    now: Date.now,
  });
  const found = await outcomesOf(
    scorer,
    items([ran('pytest -q'), ran('ls'), episodeOf([{ says: 'no calls' }])]),
  );
  const scores = ['item-0', 'item-1', 'item-2'].map((id) => found.get(id));
  expect(scores).toMatchObject([
    { score: { score: 0.8, rationale: 'tested' } },
    { score: { score: 0.3, rationale: 'no test' } },
    { score: { score: 0.3 } },
  ]);
});

it('an evaluated trajectory of a judge is one of agoge’s', async () => {
  const kept = {
    schemaVersion: 1 as const,
    sessionId: 's',
    by: 'judge',
    at: 1,
    score: 0.75,
    components: { outcome: 0.75 },
    rationale: 'schön 👍',
    usage: null,
    costUsd: null,
  };
  const value = JSON.parse(evaluatedLine(ran('ls'), kept, 0.5));
  const broken = { ...value, judge_response: { success: [1] } };
  const cases = [
    { name: 'ours', kind: 'LLMEvaluatedTrajectory', value },
    { name: 'broken', kind: 'LLMEvaluatedTrajectory', value: broken },
  ];
  const { stdout, stderr } = await runPeer('agoge.py', [], JSON.stringify(cases));
  expect(stderr).toBe('');
  const verdicts = JSON.parse(stdout);
  expect(verdicts.ours).toBeNull();
  expect(verdicts.broken).toContain('judge_response');
});
