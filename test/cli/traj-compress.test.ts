import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { modelServer } from '../support/model-run.js';
import { type Answer, after, breaksOff, refuses, says, stalls } from '../support/model-server.js';
import { until } from '../support/until.js';
import { folder } from '../trajectories/support/folder.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';

/** Ten rollouts of a scripted model in real sandboxes: 22 to 34 turns, 11 to 60 thousand tokens. */
const LONG = fileURLToPath(new URL('../fixtures/trajectories/long-rollouts.jsonl.gz', import.meta.url));
const TARGET = 9_000;

type Json = ReturnType<typeof JSON.parse>;
const parse = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const read = (path: string) => parse(readFileSync(path, 'utf8'));
const originals = () => parse(gunzipSync(readFileSync(LONG)).toString());
const messagesOf = (row: Json) =>
  row.trajectory.timesteps.flatMap((step: Json) => step.chats.flatMap((chat: Json) => chat.messages));
const stepsOf = (row: Json) => row.trajectory.timesteps.map((step: Json) => step.chats[0].messages);

const compress = (output: string, ...flags: string[]) =>
  longrun(['traj', 'compress', LONG, '--target-tokens', String(TARGET), '--output', output, ...flags]);

describe('traj compress on ten long rollouts', () => {
  it('fits them to the target, and keeps task, writes, last tests, fixed errors and the end', async () => {
    const output = join(folder(), 'short.jsonl');
    const { code, stdout } = await compress(output, '--keep-originals');
    expect(code).toBe(0);
    expect(stdout).toContain('Read 10: 10 compressed, 0 within the target as they were.');
    expect(read(join(output, '..', 'short.originals.jsonl'))).toEqual(originals());
    const before = originals();
    for (const [i, row] of read(output).entries()) {
      expect(row.compressed).toMatchObject({
        summary: 'extractive',
        still_over_limit: false,
        original: { session_id: before[i].session_id },
      });
      expect(row.compressed.compressed_tokens).toBeLessThanOrEqual(TARGET);
      expect({ rewards: row.rewards, outcome: row.outcome, metadata: row.metadata }).toEqual({
        rewards: before[i].rewards,
        outcome: before[i].outcome,
        metadata: before[i].metadata,
      });
      expectKept(before[i], row);
    }
  });

  it('makes rows that pass the filters', async () => {
    const output = join(folder(), 'short.jsonl');
    await compress(output);
    const { json } = await longrun([
      'traj',
      'filter',
      output,
      '--max-tokens',
      String(TARGET),
      '--output',
      join(output, '..', 'fit.jsonl'),
      '--json',
    ]);
    expect(json()).toMatchObject({ read: 10, kept: 10 });
  });

  it('marks rows that cannot be made short enough, and keeps what must stay in them', async () => {
    const output = join(folder(), 'short.jsonl');
    const { json } = await longrun([
      'traj',
      'compress',
      LONG,
      '--target-tokens',
      '2000',
      '--output',
      output,
      '--json',
    ]);
    expect(json()).toMatchObject({ compressed: 10, still_over_limit: 10 });
    for (const [i, row] of read(output).entries()) expectKept(originals()[i], row);
  });

  it('lets a model write the summaries, which never sees calls as calls', async () => {
    const server = await modelServer(() => says('The agent looked around and ran samples.'));
    const output = join(folder(), 'short.jsonl');
    const { code, json } = await compress(
      output,
      '--model',
      'test-model',
      '--base-url',
      server.baseUrl,
      '--json',
    );
    expect(code).toBe(0);
    expect(json()).toMatchObject({ compressed: 10, summaries: { asked: 10 } });
    expect(server.seen.map(({ messages }) => messages.map(({ role }) => role))).toEqual(
      new Array(10).fill(['system', 'user']),
    );
    for (const row of read(output)) {
      const summary = messagesOf(row).find(({ label }: { label: string }) => label === 'summary');
      expect(summary.content).toMatch(
        /^\[Summary of \d+ steps that are left out here\]\nThe agent looked around and ran samples\.$/,
      );
      expect(row.compressed.summary).toBe('model');
    }
  });

  it('leaves a row as it was where its summary fails, and goes on with the others', async () => {
    const isFjord = (messages: { content: string | null }[]): boolean =>
      messages.some(({ content }) => content?.includes('Task fjord'));
    const server = await modelServer((call) => {
      if (isFjord(call.messages)) return refuses(400, 'that is not for me');
      return call.try === 1 && server.seen.length === 1 ? breaksOff : says('It looked around.');
    });
    const output = join(folder(), 'short.jsonl');
    const { code, json } = await compress(
      output,
      '--model',
      'test-model',
      '--base-url',
      server.baseUrl,
      '--json',
    );
    expect(code).toBe(0);
    expect(json()).toMatchObject({ compressed: 9, failed: 1, still_over_limit: 1 });
    const at = originals().findIndex(({ session_id }) => session_id.includes('fjord'));
    const row = read(output)[at];
    expect({ ...row, compressed: null }).toEqual(originals()[at]);
    expect(row.compressed.failed).toContain('that is not for me');
  });

  it('does not pay twice for a summary after it was killed', async () => {
    const answers: Answer[] = [...new Array(4).fill(says('It looked around.')), stalls];
    const server = await modelServer(() => answers.shift() ?? says('It looked around.'));
    const output = join(folder(), 'short.jsonl');
    const flags = ['--model', 'test-model', '--base-url', server.baseUrl, '--concurrency', '1'];
    const first = startLongrun(
      ['traj', 'compress', LONG, '--target-tokens', String(TARGET), '--output', output, ...flags],
      {},
    );
    await until(() => server.seen.length === 5, { what: 'the fifth summary is asked for' });
    first.process.kill('SIGKILL');
    await first.ended;
    const { json } = await compress(output, ...flags, '--json');
    expect(json()).toMatchObject({ compressed: 10, summaries: { asked: 6 } });
    expect(server.seen).toHaveLength(5 + 6);
  });

  it('ends at Ctrl-C with what it takes to go on', async () => {
    const server = await modelServer((call) =>
      server.seen.length > 3 ? after(60_000, says('late')) : says(`Summary ${call.callId}`),
    );
    const output = join(folder(), 'short.jsonl');
    const flags = ['--model', 'test-model', '--base-url', server.baseUrl, '--concurrency', '1'];
    const run = startLongrun(
      ['traj', 'compress', LONG, '--target-tokens', String(TARGET), '--output', output, ...flags],
      {},
    );
    await until(() => server.seen.length === 4, { what: 'the fourth summary is asked for' });
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(run.output.stderr).toContain('summaries that were paid for are not asked for again');
  });
});

describe('traj compress refuses', () => {
  it.each([
    [['--target-tokens', 'few'], '--target-tokens: found "few"'],
    [['--target-tokens', '10'], 'a whole number of at least 100'],
    [
      ['--target-tokens', '1000', '--base-url', 'http://127.0.0.1:1/v1'],
      '--base-url is given without --model',
    ],
    [['--target-tokens', '1000', '--model', 'scripted/demo'], 'scripted models play tasks'],
    [['--target-tokens', '1000', '--tokenizer', '/nonexistent'], '/nonexistent'],
  ])('%s', async (flags, message) => {
    const { code, stderr } = await longrun([
      'traj',
      'compress',
      LONG,
      ...flags,
      '--output',
      join(folder(), 'x.jsonl'),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

/** Every turn that is left is one of the original, whole; those that must stay are left. */
function expectKept(before: Json, row: Json): void {
  const kept: number[] = row.compressed.kept_turns;
  const work = (steps: Json[][]) =>
    steps.map((messages) => messages.filter(({ role }) => role !== 'system' && role !== 'user'));
  expect(work(stepsOf(row))).toEqual(work(stepsOf(before)).filter((_, turn) => kept.includes(turn)));
  const text = JSON.stringify(messagesOf(row));
  const task = before.session_id.match(/long-[a-z]+/)?.[0];
  expect(messagesOf(row)[0].role).toBe('system');
  expect(text).toContain(`then write the word ${task} into /app/answer`);
  expect(text).toContain('class T(unittest.TestCase)');
  expect(text).toContain('Patched /app/lib.py');
  expect(text).toContain('FAILED (errors=1)');
  expect(text).toContain('Ran 3 tests');
  expect(text).toContain('The library is repaired');
  expect(messagesOf(row).filter(({ label }: { label: string }) => label === 'summary')).toHaveLength(1);
}
