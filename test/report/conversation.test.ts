import { describe, expect, it } from 'vitest';
import { readRollout } from '../../src/records/read-rollout.js';
import { renderConversation } from '../../src/report/conversation.js';
import { plainStyle, type Style } from '../../src/report/style.js';
import { keys } from '../../src/store/keys.js';
import { writeRecord } from '../../src/store/records/records.js';
import { callRecordSchema, toolResultSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { result } from '../store/fixtures.js';
import { tempStore } from '../store/temp-store.js';
import { recordExampleRun } from './example-run.js';
import { call, recordRun, task, toolResult, turns, verdict } from './recorded-run.js';

interface Ask {
  taskId: string;
  sample?: number;
  attempt?: number;
  full?: boolean;
  style?: Style;
}

async function conversation(
  store: ArtifactStore,
  { taskId, sample = 0, attempt, full = false, style = plainStyle }: Ask,
) {
  const view = await readRollout(store, { runId: 'r', taskId, sample }, attempt);
  return renderConversation(view, { columns: 80, full, passThreshold: 1, style }).join('\n');
}

async function exampleStore(): Promise<ArtifactStore> {
  const store = await tempStore();
  await recordExampleRun(store);
  return store;
}

describe('a rollout to read', () => {
  it('has the prompt, reasoning, tool calls with results, the verdict and how it ended, in order', async () => {
    const text = await conversation(await exampleStore(), { taskId: 'solved' });
    const parts = [
      '✔ passed · reward 1.00',
      'You solve tasks.',
      'Do solved main',
      'What is here?',
      'I look around.',
      '→ terminal  command: ls',
      '│ notes.txt',
      'turn 2',
      'Done.',
      'verifier · main · separate',
      '3 passed',
      '\nreward 1\n',
      'ended: natural',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('dims reasoning', async () => {
    const style: Style = (name, shown) => `<${name}>${shown}</>`;
    expect(await conversation(await exampleStore(), { taskId: 'solved', style })).toContain(
      '<dim>What is here?</>',
    );
  });

  it('shows broken arguments as the model wrote them, and escapes what came from the sandbox', async () => {
    const text = await conversation(await exampleStore(), { taskId: 'solved', sample: 1 });
    expect(text).toContain('→ terminal  {"command": ls');
    expect(text).toContain('│ ␛[31mno␛[0m');
  });

  it('lists the attempts of one that needed several, and why they ended', async () => {
    const store = await exampleStore();
    const text = await conversation(store, { taskId: 'lost' });
    expect(text).toMatch(/attempt 1 {2}sandbox_lost: the container is gone\n.*attempt 2 .*\(shown\)/);
    expect(await conversation(store, { taskId: 'lost', attempt: 1 })).toMatch(/attempt 1 .*\(shown\)/);
    await expect(conversation(store, { taskId: 'lost', attempt: 9 })).rejects.toMatchObject({
      code: 'not_found',
      hint: 'It has: 1, 2',
    });
  });

  it('shows every verdict of a task of several steps, and all keys of a reward', async () => {
    const store = await exampleStore();
    const steps = await conversation(store, { taskId: 'steps' });
    expect(steps).toMatch(/verifier · one[\s\S]*verifier · two/);
    expect(await conversation(store, { taskId: 'keys' })).toContain('reward 0.5  (reward 0.5, style 1)');
  });

  it('is bounded unless asked for whole', async () => {
    const store = await tempStore();
    const content = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n');
    const rollout = {
      result: result(),
      turns: [turns('{"command":"seq"}', { content })],
      verdicts: [verdict()],
    };
    await recordRun(store, [task('t')], [rollout]);
    const short = await conversation(store, { taskId: 't' });
    expect(short).toMatch(/line 9\n.*… 481 lines left out …\n.*line 491/);
    expect(short).toContain('line 499');
    expect(await conversation(store, { taskId: 't', full: true })).toContain('line 250');
  });

  it('can be read while it runs, calls beyond the tenth in their order', async () => {
    const store = await tempStore();
    await recordRun(store, [task('t')], []);
    const key = { runId: 'r', taskId: 't', sample: 0, attempt: 1 };
    await writeRecord(store, callRecordSchema, keys.call(key, 0, 0), call());
    for (let i = 0; i < 12; i++) {
      await writeRecord(
        store,
        toolResultSchema,
        keys.toolResult(key, 0, 0, i),
        toolResult({ content: `result ${i};` }),
      );
    }
    const text = await conversation(store, { taskId: 't' });
    expect(text).toContain('open, attempt 1');
    expect(text).toContain('Do t main');
    expect(text.indexOf('result 2;')).toBeLessThan(text.indexOf('result 10;'));
    expect(text).toContain('still open');
    expect(await conversation(store, { taskId: 't', sample: 1 })).toContain('not started yet');
  });
});
