import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { callRecordSchema } from '../../src/store/records/records.schema.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { says } from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const CALL = '{"name": "terminal", "arguments": {"command": "mkdir -p /app; echo 42 > /app/answer"}}';
const FINISH = '<tool_call>\n{"name": "finish", "arguments": {}}\n</tool_call>';

describe('an endpoint that leaves tool calls in the text', () => {
  it('gets them run, and the record keeps what was said', async () => {
    const said = `<think>I write it.</think>On it.\n<tool_call>\n${CALL}\n</tool_call>`;
    const broken = '<tool_call>{"name": "terminal", "arguments": {"command": }}</tool_call>';
    const answers = [said, broken, FINISH];
    const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
    const { rollouts, server } = await runAgainst(host, 'text-calls', [task], ({ turn }) =>
      says(answers[turn] ?? FINISH),
    );
    expect(rollouts[0]).toMatchObject({ stopReason: 'natural', turns: 3, reward: 1 });

    const key = { runId: 'text-calls', taskId: 'one', sample: 0, attempt: 1 };
    const first = await readRecord(host.store, callRecordSchema, keys.call(key, 0, 0));
    expect(first?.message).toMatchObject({
      content: 'On it.',
      reasoning: 'I write it.',
      toolCalls: [{ id: 'call_0_0', name: 'terminal' }],
    });
    expect(first?.parsed).toMatchObject({ family: 'hermes', rawContent: said, failures: [] });

    const second = await readRecord(host.store, callRecordSchema, keys.call(key, 0, 1));
    expect(second?.message).toMatchObject({ content: broken, toolCalls: [] });
    expect(second?.parsed?.failures).toMatchObject([{ code: 'bad_json', raw: broken }]);
    const told = JSON.stringify(server.seen[2]?.messages);
    expect(told).toContain('could not be read and nothing of it was run');
    expect(told).toContain('the JSON is broken');
  });
});
