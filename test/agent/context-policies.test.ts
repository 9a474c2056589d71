import { describe, expect, it } from 'vitest';
import type { AgentContext, NextRequest, TurnHistory } from '../../src/agent/agent.js';
import { boundResult, resultLimitBytes } from '../../src/agent/bound-result.js';
import { toolCallingAgent } from '../../src/agent/tool-calling/tool-calling-agent.js';
import { toolsByName } from '../../src/agent/tools/registry.js';
import type { ChatMessage } from '../../src/core/model/messages.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { estimatePrompt } from '../../src/model/estimate-tokens.js';
import { agentContext, terminalTurn } from './fixtures.js';

const WINDOW = 4_096;
/** A command's output as the model sees it in a window of that size. */
const output = (turn: number) =>
  boundResult(`turn ${turn}\n${'some output of a command\n'.repeat(400)}`, resultLimitBytes(WINDOW)).shown;

const overflow = (config: Partial<RunConfig>) => agentContext({ contextWindow: WINDOW, ...config });

type Sent = Extract<NextRequest, { kind: 'send' }>;

/** Plays turns against a policy until it stops or `limit` turns were made; summaries are made up. */
function play(context: AgentContext, limit: number, result = output) {
  const turns: TurnHistory[] = [];
  const sent: Sent[] = [];
  const summaries: Extract<NextRequest, { kind: 'summarise' }>[] = [];
  let current = context;
  while (turns.length < limit) {
    const next = toolCallingAgent.next(current, turns);
    if (next.kind === 'stop') return { turns, sent, summaries, stop: next };
    if (next.kind === 'summarise') {
      summaries.push(next);
      current = {
        ...current,
        summary: { throughTurn: next.throughTurn, content: `up to ${next.throughTurn}` },
      };
      continue;
    }
    sent.push(next);
    turns.push(terminalTurn(`id-${turns.length}`, result(turns.length), { sentView: next.sentView }));
  }
  return { turns, sent, summaries, stop: null };
}

const fits = (messages: ChatMessage[], context: AgentContext) =>
  estimatePrompt(
    messages,
    context.tools.map((tool) => tool.schema),
  ) <= WINDOW;

/** No result without its call before it, no call without its result after it. */
function expectPaired(messages: ChatMessage[]): void {
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') expect(open.shift()).toBe(message.toolCallId);
    else expect(open).toEqual([]);
    if (message.role === 'assistant') open.push(...message.toolCalls.map((call) => call.id));
  }
  expect(open).toEqual([]);
}

describe('a conversation that outgrows a window of 4k', () => {
  it('ends as context_overflow under stop, and was sent whole until then', () => {
    const context = overflow({ contextPolicy: 'stop' });
    const { sent, stop, turns } = play(context, 50);
    expect(stop).toMatchObject({ stopReason: 'context_overflow' });
    expect(turns.length).toBeGreaterThan(0);
    for (const request of sent) {
      expect(request.sentView).toBeNull();
      expect(fits(request.messages, context)).toBe(true);
    }
  });

  it('goes on under history-view with the newest turns, and records which', () => {
    const context = overflow({ contextPolicy: 'history-view' });
    const { sent, stop } = play(context, 30);
    expect(stop).toBeNull();
    for (const request of sent) {
      expectPaired(request.messages);
      expect(fits(request.messages, context)).toBe(true);
      expect(request.messages[1]?.content).toBe('Count the ships.');
    }
    const last = sent.at(-1) as Sent;
    expect(last.sentView).toMatchObject({ policy: 'history-view', turns: 29 });
    expect(last.sentView?.firstTurn).toBeGreaterThan(20);
    expect(last.messages.at(-1)?.content).toContain('turn 28');
    expect(last.messages[2]).toMatchObject({ role: 'user', label: 'notice' });
  });

  it('goes on under summarise with a summary of older turns, and records through which', () => {
    const context = overflow({ contextPolicy: 'summarise' });
    const { sent, summaries, stop } = play(context, 30);
    expect(stop).toBeNull();
    expect(summaries.length).toBeGreaterThan(2);
    for (const request of [...sent, ...summaries]) {
      expectPaired(request.messages);
      expect(fits(request.messages, context)).toBe(true);
    }
    const last = sent.at(-1) as Sent;
    const through = summaries.at(-1)?.throughTurn as number;
    expect(last.sentView).toMatchObject({ policy: 'summarise', throughTurn: through });
    expect(last.messages[2]).toMatchObject({ label: 'summary' });
    expect(last.messages[2]?.content).toContain(`up to ${through}`);
    expect(last.messages.at(-1)?.content).toContain('turn 28');
  });

  it('asks for a summary with the earlier one, the task and what was done since', () => {
    const { summaries } = play(overflow({ contextPolicy: 'summarise' }), 30);
    const [first, second] = summaries;
    expect(first?.messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(first?.messages[1]?.content).toContain('Count the ships.');
    expect(first?.messages[1]?.content).toContain('turn 0');
    expect(second?.messages[1]?.content).toContain(`up to ${first?.throughTurn}`);
    expect(second?.messages[1]?.content).toContain(`turn ${(first?.throughTurn as number) + 1}`);
  });

  it('goes on under summarise when task and tools take most of the window, and all turns are small', () => {
    const config = { contextPolicy: 'summarise', contextWindow: WINDOW } as const;
    const tools = toolsByName(['terminal', 'finish']);
    const context = agentContext(config, { instruction: 'Count the ships. '.repeat(310), tools });
    const opening = (toolCallingAgent.next(context, []) as Sent).messages;
    const schemas = tools.map((tool) => tool.schema);
    expect(Math.round(estimatePrompt(opening, schemas) / 100)).toBe(23);
    const { summaries, stop } = play(context, 30, (turn) => `turn ${turn}\n${'some output\n'.repeat(30)}`);
    expect(stop).toBeNull();
    expect(summaries.length).toBeGreaterThan(2);
  });

  it('summarises all but the newest turn when the endpoint counts more than the turns were estimated at', () => {
    const usage = { promptTokens: 3_500, cachedTokens: 0, completionTokens: 10 };
    const turns = ['a', 'b', 'c'].map((id) => terminalTurn(id, 'short', { usage }));
    const next = toolCallingAgent.next(overflow({ contextPolicy: 'summarise' }), turns);
    expect(next).toMatchObject({ kind: 'summarise', throughTurn: 1 });
  });

  it.each(['history-view', 'summarise'] as const)(
    'ends under %s where not even the newest turn fits',
    (contextPolicy) => {
      const context = overflow({ contextPolicy });
      const huge = terminalTurn('a', 'x'.repeat(50_000));
      expect(toolCallingAgent.next(context, [huge])).toMatchObject({
        kind: 'stop',
        stopReason: 'context_overflow',
      });
    },
  );
});

describe('the same recorded turns', () => {
  it.each(['stop', 'history-view', 'summarise'] as const)(
    'ask for the same request under %s',
    (contextPolicy) => {
      const { turns } = play(overflow({ contextPolicy }), 2);
      const ask = () => toolCallingAgent.next(overflow({ contextPolicy }), turns);
      expect(ask()).toEqual(ask());
    },
  );
});

describe('history-view', () => {
  const turns = Array.from({ length: 10 }, (_, n) => terminalTurn(`id-${n}`, `result ${n}`));
  const observations = (request: NextRequest) =>
    (request as Sent).messages.filter((message) => message.label === 'observation').map((m) => m.content);

  it('keeps the newest messages of a label, each with its call', () => {
    const context = agentContext({ contextPolicy: 'history-view', historyLimits: { observation: 3 } });
    const request = toolCallingAgent.next(context, turns);
    expect(observations(request)).toEqual(['result 7', 'result 8', 'result 9']);
    expect((request as Sent).sentView).toEqual({ policy: 'history-view', firstTurn: 7, turns: 10 });
    expectPaired((request as Sent).messages);
  });

  it('keeps a turn whole or leaves it out', () => {
    const call = (id: string) => ({ id, name: 'terminal', arguments: '{"command":"ls"}' });
    const [one] = turns as [TurnHistory];
    const pair: TurnHistory = {
      call: { ...one.call, message: { ...one.call.message, toolCalls: [call('p'), call('q')] } },
      results: [...one.results, ...one.results],
    };
    const context = agentContext({ contextPolicy: 'history-view', historyLimits: { observation: 2 } });
    expect(observations(toolCallingAgent.next(context, [pair, one]))).toHaveLength(1);
    expect(observations(toolCallingAgent.next(context, [one, pair, pair]))).toHaveLength(2);
    const none = agentContext({ contextPolicy: 'history-view', historyLimits: { observation: 0 } });
    expect(observations(toolCallingAgent.next(none, [one, pair]))).toHaveLength(2);
  });

  it('sends everything while nothing is over its limit', () => {
    const context = agentContext({ contextPolicy: 'history-view' });
    expect(toolCallingAgent.next(context, turns)).toEqual(toolCallingAgent.next(agentContext(), turns));
  });
});

describe('the size of a conversation', () => {
  it('is what the endpoint counted, where it counts', () => {
    const small = terminalTurn('a', 'short', {
      usage: { promptTokens: 3_500, cachedTokens: 0, completionTokens: 100 },
    });
    expect(toolCallingAgent.next(overflow({}), [small])).toMatchObject({ stopReason: 'context_overflow' });
    const counted = terminalTurn('a', 'x'.repeat(9_000), {
      usage: { promptTokens: 100, cachedTokens: 0, completionTokens: 10 },
    });
    expect(toolCallingAgent.next(overflow({ maxTokens: 50 }), [counted]).kind).toBe('send');
  });
});
