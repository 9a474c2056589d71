import type { AgentContext, TurnHistory } from '../../src/agent/agent.js';
import { TOOL_NAMES, toolsByName } from '../../src/agent/tools/registry.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import type { CallRecord, ToolResult } from '../../src/store/records/records.schema.js';
import { RUN_CONFIG } from '../support/run-config-defaults.js';

export function runConfig(overrides: Partial<RunConfig> = {}): RunConfig {
  return {
    ...RUN_CONFIG,
    agent: 'tool-calling',
    model: 'test-model',
    apiKeyEnv: 'TEST_KEY',
    concurrency: 1,
    maxTurns: 100,
    ...overrides,
  };
}

export function agentContext(
  config: Partial<RunConfig> = {},
  overrides: Partial<AgentContext> = {},
): AgentContext {
  return {
    config: runConfig(config),
    instruction: 'Count the ships.',
    workdir: '/app',
    tools: toolsByName(TOOL_NAMES),
    contextWindow: null,
    summary: null,
    ...overrides,
  };
}

type Message = CallRecord['message'];
export type Call = Message['toolCalls'][number];

export function callRecord(message: Partial<Message>, overrides: Partial<CallRecord> = {}): CallRecord {
  return {
    schemaVersion: 1,
    callId: 'c',
    model: 'test-model',
    requestId: null,
    finishReason: message.toolCalls?.length ? 'tool_calls' : 'stop',
    message: { content: '', reasoning: null, toolCalls: [], ...message },
    usage: { promptTokens: 0, cachedTokens: 0, completionTokens: 0 },
    costUsd: null,
    latencyMs: 1,
    startedAt: 0,
    promptTokenIds: null,
    completionTokenIds: null,
    logprobs: null,
    sentView: null,
    parsed: null,
    sequenceId: null,
    policyVersion: null,
    rendering: null,
    ...overrides,
  };
}

export function toolResult(call: Call, content: string, error: string | null = null): ToolResult {
  return {
    schemaVersion: 1,
    toolCallId: call.id,
    name: call.name,
    content,
    success: error === null,
    error,
    exitCode: null,
    durationMs: 1,
    startedAt: 0,
  };
}

/** A turn of one terminal call whose result is `content`. */
export function terminalTurn(id: string, content: string, record: Partial<CallRecord> = {}): TurnHistory {
  const call = { id, name: 'terminal', arguments: '{"command":"ls"}' };
  return { call: callRecord({ toolCalls: [call] }, record), results: [toolResult(call, content)] };
}

/** A turn whose answer came to nothing. */
export const emptyTurn = (): TurnHistory => ({ call: callRecord({}), results: [] });
