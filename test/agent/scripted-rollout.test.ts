import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentContext, PlannedCall, TurnHistory } from '../../src/agent/agent.js';
import { boundResult, resultLimitBytes, takenCallIds, uniqueCallIds } from '../../src/agent/index.js';
import { toolCallingAgent as agent } from '../../src/agent/tool-calling/tool-calling-agent.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import type { ModelResponse } from '../../src/model/model-client.js';
import { ModelRegistry } from '../../src/model/registry.js';
import type { TaskScript } from '../../src/model/scripted/script.js';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import { modelRequest, NEVER } from '../model/fixtures.js';
import { SandboxKit } from '../sandbox/conformance/kit.js';
import { ToolSession } from '../sandbox/tool-session.js';
import { agentContext, callRecord, toolResult } from './fixtures.js';

const SCRIPT: TaskScript = {
  recognise: 'greet the harbour',
  variants: {
    solves: [
      { toolCalls: [{ name: 'shell', arguments: { command: 'ls' } }] },
      { toolCalls: [{ name: 'terminal', arguments: '{"command": "ls' }] },
      { toolCalls: [{ name: 'terminal', arguments: { command: 'mkdir -p /app && cd /app && seq 1 3000' } }] },
      { toolCalls: [{ name: 'terminal', arguments: { command: 'seq 1 3000' } }] },
      { content: '' },
      { toolCalls: [{ name: 'write_file', arguments: { path: 'hello.txt', content: 'helo\n' } }] },
      {
        toolCalls: [
          { name: 'patch', arguments: { path: 'hello.txt', old_string: 'helo', new_string: 'hello' } },
        ],
      },
      {
        toolCalls: [
          { name: 'read_file', arguments: { path: 'hello.txt' } },
          { name: 'finish', arguments: {} },
        ],
      },
    ],
    fails: [],
    partly: [],
  },
};

let models: ModelRegistry;
const kit = new SandboxKit(() => new MemoryDriver(), { kind: 'image', name: 'any' });
beforeAll(async () => {
  models = new ModelRegistry({ scripts: [SCRIPT], env: {} });
  await kit.open();
});
afterAll(async () => {
  await models.close();
  await kit.close();
});

/** The loop that a slice makes, without its records. */
async function rollout(config: Partial<RunConfig>) {
  let context: AgentContext = agentContext(
    { model: 'scripted/solver', ...config },
    { instruction: 'Please greet the harbour.' },
  );
  const client = models.client(context.config);
  const session = new ToolSession(await kit.fresh());
  const turns: TurnHistory[] = [];
  const complete = (messages: Parameters<typeof modelRequest>[0]) =>
    client.complete(modelRequest({ model: 'scripted/solver', ...messages }), NEVER);
  for (;;) {
    const next = agent.next(context, turns);
    if (next.kind === 'stop') return { turns, session, end: next };
    if (next.kind === 'summarise') {
      const { message } = await complete({ messages: next.messages });
      context = { ...context, summary: { throughTurn: next.throughTurn, content: message.content } };
      continue;
    }
    const response = await complete({ messages: next.messages, tools: next.tools, turn: turns.length });
    turns.push(await finishTurn(context, session, turns, response, next.sentView));
    const end = agent.judge(context, turns);
    if (end.kind === 'stop') return { turns, session, end };
  }
}

async function finishTurn(
  context: AgentContext,
  session: ToolSession,
  turns: TurnHistory[],
  { message, ...response }: ModelResponse,
  sentView: Record<string, unknown> | null,
): Promise<TurnHistory> {
  const toolCalls = uniqueCallIds(message.toolCalls, turns.length, takenCallIds(turns));
  const call = callRecord({ ...message, toolCalls }, { ...response, sentView });
  const results = [];
  for (const planned of agent.plan(context, call)) results.push(await answer(session, planned, context));
  return { call, results };
}

async function answer(session: ToolSession, planned: PlannedCall, context: AgentContext) {
  if (planned.kind === 'refused') return toolResult(planned.call, planned.content, planned.error);
  const { content, error } = await session.call(planned.call.name, planned.args);
  const { shown } = boundResult(content, resultLimitBytes(context.config.contextWindow));
  return toolResult(planned.call, shown, error);
}

describe('a scripted rollout through the real client, the agent and its tools', () => {
  it.each([
    ['stop', null],
    ['history-view', 4_096],
    ['summarise', 4_096],
  ] as const)(
    'recovers from wrong turns and ends naturally under %s',
    async (contextPolicy, contextWindow) => {
      const { turns, session, end } = await rollout({ contextPolicy, contextWindow });
      expect(end).toMatchObject({ stopReason: 'natural' });
      expect(turns.map((turn) => turn.results.map((result) => result.error))).toEqual([
        ['unknown_tool'],
        ['bad_arguments'],
        [null],
        [null],
        [],
        [null],
        [null],
        [null, null],
      ]);
      expect(turns.at(-1)?.results[0]?.content).toBe('     1\thello');
      expect(await session.look('cat /app/hello.txt')).toBe('hello\n');
      const ids = takenCallIds(turns);
      expect(new Set(ids).size).toBe(ids.length);
      if (contextWindow !== null)
        expect(turns.at(-1)?.call.sentView).toMatchObject({ policy: contextPolicy });
    },
  );

  it('ends as context_overflow under stop where the window is too small', async () => {
    const { end } = await rollout({ contextPolicy: 'stop', contextWindow: 2_048 });
    expect(end).toMatchObject({ stopReason: 'context_overflow' });
  });
});
