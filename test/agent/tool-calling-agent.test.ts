import { describe, expect, it } from 'vitest';
import type { NextRequest, TurnHistory } from '../../src/agent/agent.js';
import { agentFor, uniqueCallIds } from '../../src/agent/index.js';
import { toolCallingAgent as agent } from '../../src/agent/tool-calling/tool-calling-agent.js';
import { agentContext, type Call, callRecord, emptyTurn, terminalTurn, toolResult } from './fixtures.js';

const context = agentContext();
const call = (name: string, args: string, id = 'id-1'): Call => ({ id, name, arguments: args });
const plan = (...calls: Call[]) => agent.plan(context, callRecord({ toolCalls: calls }));
const refusedTurn = (): TurnHistory => {
  const broken = call('terminal', '{');
  return { call: callRecord({ toolCalls: [broken] }), results: [toolResult(broken, 'no', 'bad_arguments')] };
};

describe('the agent of a run', () => {
  it('makes turns by tool calls, or none at all', () => {
    expect(agentFor({ agent: 'tool-calling' })).toBe(agent);
    expect(agentFor({ agent: 'oracle' })).toBeNull();
    expect(agentFor({ agent: 'nop' })).toBeNull();
  });
});

describe('a request', () => {
  const messages = (request: NextRequest) => {
    if (request.kind !== 'send') throw new Error(request.kind);
    return request.messages;
  };

  it('begins with the system prompt and the task', () => {
    const request = agent.next(context, []);
    expect(messages(request).map(({ role, label }) => [role, label])).toEqual([
      ['system', 'system'],
      ['user', 'task'],
    ]);
    expect(messages(request)[0]?.content).toContain('/app');
    expect(request.kind === 'send' && request.tools.map((tool) => tool.name)).toContain('finish');
  });

  it('repeats calls, reasoning and results in order', () => {
    const turn = terminalTurn('a', 'listing');
    turn.call.message.reasoning = 'I look first.';
    expect(messages(agent.next(context, [turn])).slice(2)).toEqual([
      {
        role: 'assistant',
        content: '',
        reasoning: 'I look first.',
        toolCalls: [call('terminal', '{"command":"ls"}', 'a')],
        label: 'action',
      },
      { role: 'tool', toolCallId: 'a', name: 'terminal', content: 'listing', label: 'observation' },
    ]);
  });

  it('gives calls of the same or no id ids of their own', () => {
    const turns = [terminalTurn('f:0', 'one'), terminalTurn('f:0', 'two'), terminalTurn('', 'three')];
    const tools = messages(agent.next(context, turns)).filter((message) => message.role === 'tool');
    expect(tools.map((message) => message.toolCallId)).toEqual(['f:0', 'call_1_0', 'call_2_0']);
  });

  it('asks for a usable answer after an empty one', () => {
    const last = messages(agent.next(context, [emptyTurn()])).at(-1);
    expect(last).toMatchObject({ role: 'user', label: 'correction' });
    expect(last?.content).toContain('Your answer was empty.');
  });

  it('is no longer made after the last allowed turn', () => {
    const turns = [terminalTurn('a', '1'), terminalTurn('b', '2')];
    expect(agent.next(agentContext({ maxTurns: 2 }), turns)).toMatchObject({ stopReason: 'max_turns' });
    expect(agent.next(agentContext({ maxTurns: 3 }), turns).kind).toBe('send');
  });
});

describe('call ids', () => {
  it('are repaired before they are recorded, the same way every time', () => {
    const calls = [call('a', '', 'x'), call('b', '', 'x'), call('c', '', ''), call('d', '', 'call_4_2')];
    const repaired = uniqueCallIds(calls, 4, ['y', 'call_4_1']);
    expect(repaired.map(({ id }) => id)).toEqual(['x', 'call_4_1_', 'call_4_2', 'call_4_3']);
    expect(uniqueCallIds(calls, 4, ['y', 'call_4_1'])).toEqual(repaired);
    expect(uniqueCallIds([call('a', '', 'y')], 5, ['y'])[0]?.id).toBe('call_5_0');
  });
});

describe('a planned call', () => {
  it('runs with the arguments as an object, encoded once or twice', () => {
    const once = JSON.stringify({ command: 'ls' });
    for (const args of [once, JSON.stringify(once)])
      expect(plan(call('terminal', args))).toMatchObject([{ kind: 'run', args: { command: 'ls' } }]);
    expect(plan(call('finish', ''))).toMatchObject([{ kind: 'run', args: {} }]);
  });

  it('of an unknown tool is answered with the tools there are', () => {
    const [refused] = plan(call('terminl', '{}'));
    expect(refused).toMatchObject({ kind: 'refused', error: 'unknown_tool' });
    expect(refused?.kind === 'refused' && refused.content).toBe(
      'There is no tool "terminl". Did you mean terminal? Available tools: terminal, read_file, write_file, patch, search_files, todo, finish.',
    );
  });

  it.each([
    ['terminal', '{"command": "ls', 'not valid JSON'],
    ['terminal', '["ls"]', 'a list instead of one JSON object'],
    ['terminal', '{"cmd": "ls"}', '"command"'],
    ['terminal', '{"cmd": "ls"}', 'not known: "cmd"'],
    ['terminal', '{"cmd": "ls"}', 'Accepted: {"command": string, "timeout_sec"?: number}'],
    ['terminal', '{"command": "ls", "timeout_sec": "5"}', '"timeout_sec"'],
    ['terminal', String.raw`{"command": "a\u0000b"}`, 'NUL'],
    ['todo', '{"todos": [{"id": "1", "content": "x", "status": "done"}]}', '"todos.0.status"'],
    ['search_files', '{"pattern": "x", "target": "all"}', '"target"?: "content" | "name"'],
  ])('of %s with %s is answered with what is wrong', (name, args, words) => {
    const [refused] = plan(call(name, args));
    expect(refused).toMatchObject({ kind: 'refused', error: 'bad_arguments' });
    expect(refused?.kind === 'refused' && refused.content).toContain(words);
    expect(refused?.kind === 'refused' && refused.content).toContain('Nothing was run');
  });

  it('that is broken does not lose its neighbours', () => {
    const planned = plan(
      call('terminal', '{', '1'),
      call('terminal', '{"command":"ls"}', '2'),
      call('x', '', '3'),
    );
    expect(planned.map(({ kind }) => kind)).toEqual(['refused', 'run', 'refused']);
  });
});

describe('a finished turn', () => {
  const judge = (...turns: TurnHistory[]) => agent.judge(context, turns);

  it('with tool results goes on', () => {
    expect(judge(terminalTurn('a', 'x'))).toEqual({ kind: 'continue' });
  });

  it('with an accepted finish ends naturally, with a refused one goes on', () => {
    const finish = call('finish', '{}');
    const done = { call: callRecord({ toolCalls: [finish] }), results: [toolResult(finish, 'Finished.')] };
    expect(judge(done)).toMatchObject({ kind: 'stop', stopReason: 'natural' });
    const refused = { ...done, results: [toolResult(finish, 'no', 'bad_arguments')] };
    expect(judge(refused)).toEqual({ kind: 'continue' });
  });

  it('with words only ends naturally', () => {
    const words = { call: callRecord({ content: 'All done.' }), results: [] };
    expect(judge(terminalTurn('a', 'x'), words)).toMatchObject({ stopReason: 'natural' });
  });

  it('cut off at its token limit without a call is not a natural end', () => {
    const cut = { call: callRecord({ content: 'Let me th' }, { finishReason: 'length' }), results: [] };
    expect(judge(cut)).toMatchObject({ stopReason: 'length_truncated' });
    expect(judge(terminalTurn('a', 'x', { finishReason: 'length' }))).toEqual({ kind: 'continue' });
  });

  it('ends the rollout as the third unusable one in a row', () => {
    expect(judge(emptyTurn(), refusedTurn())).toEqual({ kind: 'continue' });
    expect(judge(emptyTurn(), refusedTurn(), emptyTurn())).toMatchObject({ stopReason: 'format_error' });
    expect(judge(emptyTurn(), emptyTurn(), terminalTurn('a', 'x'), emptyTurn())).toEqual({
      kind: 'continue',
    });
  });

  it('with a call written as text counts as unusable', () => {
    const text = {
      call: callRecord({ content: '<tool_call>{"name": "terminal"}</tool_call>' }),
      results: [],
    };
    expect(judge(text)).toEqual({ kind: 'continue' });
    expect(judge(text, text, text)).toMatchObject({ stopReason: 'format_error' });
  });

  it('in which one of several calls was usable is no format error', () => {
    const [good, bad] = [call('terminal', '{"command":"ls"}', '1'), call('x', '', '2')];
    const mixed = {
      call: callRecord({ toolCalls: [good, bad] }),
      results: [toolResult(good, 'ok'), toolResult(bad, 'no', 'unknown_tool')],
    };
    expect(judge(emptyTurn(), emptyTurn(), mixed)).toEqual({ kind: 'continue' });
  });
});
