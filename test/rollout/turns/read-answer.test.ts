import { describe, expect, it } from 'vitest';
import { formatError } from '../../../src/agent/tool-calling/format-error.js';
import { toolCallingAgent } from '../../../src/agent/tool-calling/tool-calling-agent.js';
import { readAnswer } from '../../../src/rollout/turns/read-answer.js';
import { callRecordSchema } from '../../../src/store/records/records.schema.js';
import { decodeRecord, encodeRecord } from '../../../src/store/wire/wire.js';
import { agentContext, callRecord, toolResult } from '../../agent/fixtures.js';

const CALL = '<tool_call>{"name":"terminal","arguments":{"command":"ls"}}</tool_call>';
const BROKEN = '<tool_call>{"name":"terminal","arguments":{"command":}}</tool_call>';

function answer(content: string, overrides = {}, toolCallParser = 'auto') {
  return readAnswer(callRecord({ content }, overrides), agentContext({ toolCallParser }), 3);
}
const problem = (call: ReturnType<typeof answer>) => formatError({ call, results: [] });

describe('an answer without structured calls', () => {
  it('has its calls taken out of the text, with ids of its turn, and keeps what was said', () => {
    const said = `<think>Hm.</think>I look. ${CALL}${CALL}`;
    const call = answer(said);
    expect(call.message).toEqual({
      content: 'I look.',
      reasoning: 'Hm.',
      toolCalls: [
        { id: 'call_3_0', name: 'terminal', arguments: '{"command":"ls"}' },
        { id: 'call_3_1', name: 'terminal', arguments: '{"command":"ls"}' },
      ],
    });
    expect(call.parsed).toMatchObject({ family: 'hermes', mismatch: null, rawContent: said, failures: [] });
    expect(decodeRecord(callRecordSchema, encodeRecord(callRecordSchema, call), 'k')).toEqual(call);
  });

  it('that is prose stays as it came', () => {
    const call = answer('  Done. ');
    expect(call.message).toEqual(callRecord({ content: '  Done. ' }).message);
    expect(call.parsed).toMatchObject({ rawContent: null, calls: [], failures: [] });
    expect(problem(call)).toBeNull();
    expect(problem(answer('Use the <tool_call> tag.'))).toBeNull();
  });

  it('tells the model what was wrong with a call that could not be read', () => {
    const call = answer(BROKEN);
    expect(call.message).toMatchObject({ content: BROKEN, toolCalls: [] });
    expect(problem(call)).toContain(`the JSON is broken: unexpected "}}</tool_cal": ${BROKEN}`);
    expect(toolCallingAgent.judge(agentContext(), [{ call, results: [] }])).toEqual({ kind: 'continue' });
  });

  it('runs the good calls beside a broken one, and the model is told of that too', () => {
    const call = answer(`${CALL}\n${BROKEN}`);
    expect(call.message.toolCalls).toHaveLength(1);
    expect(call.message.content).toBe(BROKEN);
    const results = call.message.toolCalls.map((one) => toolResult(one, 'ok'));
    const request = toolCallingAgent.next(agentContext(), [{ call, results }]);
    const last = request.kind === 'send' ? request.messages.at(-1) : null;
    expect(last).toMatchObject({ role: 'user', label: 'correction' });
    expect(last?.content).toContain('nothing of it was run');
  });

  it('that was cut off at its token limit does not run the call it was cut in', () => {
    const unclosed = CALL.replace('</tool_call>', '');
    expect(answer(unclosed).message.toolCalls).toHaveLength(1);
    const call = answer(unclosed, { finishReason: 'length' });
    expect(call.message.toolCalls).toEqual([]);
    expect(call.parsed?.failures).toMatchObject([{ code: 'truncated', raw: unclosed }]);
    expect(answer(`${CALL}${unclosed}`, { finishReason: 'length' }).message.toolCalls).toHaveLength(1);
  });

  it('says why it was empty when a think block never ended', () => {
    expect(problem(answer(`<think>I will ${CALL}`))).toContain('never closed');
    expect(problem(answer(''))).toBe('Your answer was empty.');
  });
});

describe('an answer that is not read', () => {
  it('has calls of its own', () => {
    const own = [{ id: 'a', name: 'terminal', arguments: '{}' }];
    const call = readAnswer(callRecord({ content: CALL, toolCalls: own }), agentContext(), 0);
    expect(call.message).toEqual({ content: CALL, reasoning: null, toolCalls: own });
    expect(call.parsed).toBeNull();
  });

  it('is one of a run that wants none read: a call in the text is a format error as before', () => {
    const call = answer(CALL, {}, 'none');
    expect(call.parsed).toBeNull();
    expect(problem(call)).toContain('plain text');
  });
});
