import { planCalls } from '../../src/agent/tool-calling/plan-calls.js';
import { TOOL_NAMES, toolsByName } from '../../src/agent/tools/registry.js';
import type { ToolCall } from '../../src/core/model/messages.js';
import type { ScriptedTurn } from '../../src/model/scripted/script.js';
import { runExec } from '../../src/sandbox/run-exec.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import type { Agent } from './tblite-bench.js';

const MINUTE_MS = 60_000;

const wire = (turn: ScriptedTurn, at: number): ToolCall[] =>
  (turn.toolCalls ?? []).map(({ name, arguments: args }, i) => ({
    id: `call_${at}_${i}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));

/** What the real agent makes of the calls: run, or refused. */
export const plansOf = (turns: readonly ScriptedTurn[]) =>
  turns.map((turn, at) => planCalls(wire(turn, at), toolsByName(TOOL_NAMES)));

/** Carries the turns out with the real tools; a scripted model does not look at what they answer. */
export const playing =
  (turns: readonly ScriptedTurn[], transcript: string[]): Agent =>
  async (sandbox) => {
    const calls: { name: string; arguments: string; content: string }[] = [];
    for (const planned of plansOf(turns).flat()) {
      const content = planned.kind === 'refused' ? planned.content : await carryOut(sandbox, planned, calls);
      calls.push({ name: planned.call.name, arguments: planned.call.arguments, content });
      transcript.push(`> ${planned.call.name} ${planned.call.arguments}\n${content}`);
    }
  };

async function carryOut(
  sandbox: Sandbox,
  { tool, args }: Extract<ReturnType<typeof planCalls>[number], { kind: 'run' }>,
  calls: readonly { name: string; arguments: string; content: string }[],
): Promise<string> {
  const signal = AbortSignal.timeout(2 * MINUTE_MS);
  const base = {
    cwd: null,
    env: {},
    user: null,
    timeoutMs: MINUTE_MS,
    outputLimitBytes: 100_000,
    stdin: null,
  };
  const plan = await tool.plan(args, {
    inspect: (script, options = {}) => runExec(sandbox, { ...base, script, ...options }, signal),
    user: null,
    remainingMs: MINUTE_MS,
    priorCalls: (name) => calls.filter((call) => call.name === name),
  });
  if (plan.kind === 'answer') return plan.answer.content;
  const result = await runExec(sandbox, { ...plan.request, user: null }, signal);
  return tool.finish(result, plan.note).content;
}
