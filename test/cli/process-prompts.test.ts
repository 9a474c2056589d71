import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { ModelServer, runs, says } from '../support/model-server.js';
import { makeFolder } from '../support/state.js';
import { rowsOf } from '../trajectories/process/folder.js';
import { type CliAnswer, longrun } from './support/longrun.js';

let folder: string;
let remove: () => Promise<void>;
let server: ModelServer;
let answer: CliAnswer;
let output: string;

/** A list with a prompt twice, in batches of two. */
beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
  const rows = [
    { prompt: 'List the files.', prompt_source: 'ours' },
    { prompt: 'List the files.' },
    { prompt: 'Call something else.', n: 3 },
  ];
  const list = join(folder, 'list.jsonl');
  writeFileSync(list, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  output = join(folder, 'data');
  server = await ModelServer.start(({ turn }) => (turn === 0 ? runs('ls') : says('Done.')));
  answer = await longrun(
    [
      ...['process', '--prompts', list, '--model', 'test-model', '--base-url', server.baseUrl],
      ...['--sandbox', 'memory', '--run-id', 'list', '--batch-size', '2', '--keep-no-reasoning'],
      ...['--output', output],
    ],
    { LONGRUN_HOME: join(folder, 'state'), OPENAI_API_KEY: 'sk-of-the-model' },
  );
});
afterAll(async () => {
  await stopServer(join(folder, 'state'));
  await server.close();
  await remove();
});

const indices = (name: string) =>
  rowsOf(output, name)
    .map(({ prompt_index }) => prompt_index)
    .toSorted();

it('a list of prompts becomes a row for each, by batch and merged', () => {
  expect(answer.stderr).toContain(`3 of 3 groups are in ${output}`);
  expect(answer.code).toBe(0);
  expect(indices('batch_001_output.jsonl')).toEqual([0, 1]);
  expect(indices('batch_002_output.jsonl')).toEqual([2]);
  expect(indices('trajectory_samples.jsonl')).toEqual([0, 1, 2]);
  const [row] = rowsOf(output, 'batch_002_output.jsonl');
  expect(row).toMatchObject({
    completed: true,
    partial: false,
    api_calls: 2,
    reward: null,
    metadata: {
      n: 3,
      prompt_source: null,
      source: 'batch',
      status: 'success',
      rollout_id: 'list/prompt-3/0',
    },
    tool_stats: { terminal: { count: 1, success: 1, failure: 0 }, patch: { count: 0 } },
    tool_error_counts: { terminal: 0, patch: 0 },
  });
});

it('that nothing scores them is no failure', () => {
  expect(answer.stdout).toContain('done, nothing scores it');
  expect(answer.stdout).not.toContain('infrastructure');
  expect(server.seen).toHaveLength(6);
});
