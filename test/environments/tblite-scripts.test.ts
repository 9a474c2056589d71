import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dedupeByContent } from '../../environments/tblite/scripts/dedupe-by-content.js';
import { tbliteScripts } from '../../environments/tblite/scripts/index.js';
import { retryWithBackoff } from '../../environments/tblite/scripts/retry-with-backoff.js';
import { planCalls } from '../../src/agent/tool-calling/plan-calls.js';
import { TOOL_NAMES, toolsByName } from '../../src/agent/tools/registry.js';
import type { ToolCall } from '../../src/core/messages.js';
import type { ScriptedTurn, TaskScript } from '../../src/model/scripted/script.js';
import { runExec } from '../../src/sandbox/run-exec.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { resolveEnvironment } from '../../src/tasks/resolve-environment.js';
import { type Agent, TbliteBench } from './tblite-bench.js';

type Variant = keyof TaskScript['variants'];
const VARIANTS: Variant[] = ['solves', 'partly', 'fails'];
const MINUTE_MS = 60_000;
/** Tasks where half of the work is worth nothing. */
const ALL_OR_NOTHING = [dedupeByContent, retryWithBackoff].map((script) => script.recognise);

let bench: TbliteBench;
const instructions = new Map<string, string>();
beforeAll(async () => {
  bench = await TbliteBench.open();
  const environment = await resolveEnvironment('tblite');
  for await (const { task } of environment.items(null)) {
    instructions.set(task.taskId, environment.formatPrompt(task, 0));
  }
});
afterAll(() => bench.close());

const wire = (turn: ScriptedTurn, at: number): ToolCall[] =>
  (turn.toolCalls ?? []).map(({ name, arguments: args }, i) => ({
    id: `call_${at}_${i}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));

const plansOf = (turns: readonly ScriptedTurn[]) =>
  turns.map((turn, at) => planCalls(wire(turn, at), toolsByName(TOOL_NAMES)));

/** The task whose instruction holds the phrase. */
const recognised = (script: TaskScript): string[] =>
  [...instructions].filter(([, text]) => text.includes(script.recognise)).map(([taskId]) => taskId);

test('each task is recognised by exactly one script', () => {
  const found = tbliteScripts.map(recognised);
  expect(found.every((taskIds) => taskIds.length === 1)).toBe(true);
  expect(new Set(found.flat())).toEqual(new Set(instructions.keys()));
});

describe.each(VARIANTS)('every script that %s', (variant) => {
  test.for(tbliteScripts)('takes detours before it finishes: $recognise', (script) => {
    const turns = script.variants[variant];
    const planned = plansOf(turns).flat();
    expect(turns.length).toBeGreaterThanOrEqual(4);
    expect(turns.at(-1)?.toolCalls?.map((call) => call.name)).toEqual(['finish']);
    expect(planned.filter((each) => each.kind === 'refused').length).toBeLessThanOrEqual(2);
    expect(planned.filter((each) => each.kind === 'run').length).toBeGreaterThanOrEqual(4);
  });
});

test('every script makes a call that is refused, at least in the variant that solves the task', () => {
  const refused = tbliteScripts.map((script) =>
    plansOf(script.variants.solves)
      .flat()
      .filter((each) => each.kind === 'refused'),
  );
  expect(refused.filter((each) => each.length === 0).length).toBe(0);
});

/** Carries the turns out with the real tools; a scripted model does not look at what they answer. */
const playing =
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

describe.concurrent('in a real container', () => {
  const scoreOf = async (script: TaskScript, variant: Variant) => {
    const transcript: string[] = [];
    const [taskId = ''] = recognised(script);
    const verdict = await bench.score(taskId, playing(script.variants[variant], transcript));
    return { reward: verdict.reward, story: `${transcript.join('\n')}\n${verdict.testOutput}` };
  };

  test.for(tbliteScripts)('solved: $recognise', async (script) => {
    const { reward, story } = await scoreOf(script, 'solves');
    expect(reward, story).toBe(1);
  });

  test.for(tbliteScripts)('failed: $recognise', async (script) => {
    const { reward, story } = await scoreOf(script, 'fails');
    expect(reward, story).toBe(0);
  });

  test.for(tbliteScripts)('left half done: $recognise', async (script) => {
    const { reward, story } = await scoreOf(script, 'partly');
    expect(reward, story).toBeLessThan(1);
    if (ALL_OR_NOTHING.includes(script.recognise)) expect(reward, story).toBe(0);
    else expect(reward, story).toBeGreaterThan(0);
  });
});
