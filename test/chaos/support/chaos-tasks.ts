import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import type { LoadedTask } from '../../../src/tasks/environment.js';
import { inlineTask } from '../../support/inline-task.js';
import { type Answer, after, completes, runs, type SeenCall, says } from '../../support/model-server.js';

/** What must become of every sample of a task, whatever faults are injected. */
export interface Expected {
  stopReason: 'natural' | 'max_turns';
  reward: number;
  turns: number;
  /** Commands of the whole rollout; each appends one line of its own to /app/effects. */
  commands: number;
}

/** The model's part in a task: which commands it asks for in each turn; none is the final answer. */
interface Part {
  expected: Expected;
  commandsOf(turn: number): number[];
  answer: number;
}

export const MAX_TURNS = 5;
const MODEL_LATENCY_MS = 150;
/** Long enough that some command is always running when a fault strikes. */
const COMMAND_SEC = 0.3;

/** Four tasks whose outcomes differ and are known: solved, solved by two commands a turn, failed, never ended. */
const PARTS: Record<string, Part> = {
  right: {
    expected: { stopReason: 'natural', reward: 1, turns: 4, commands: 3 },
    commandsOf: (turn) => (turn < 3 ? [turn] : []),
    answer: 42,
  },
  twice: {
    expected: { stopReason: 'natural', reward: 1, turns: 3, commands: 4 },
    commandsOf: (turn) => (turn < 2 ? [2 * turn, 2 * turn + 1] : []),
    answer: 42,
  },
  wrong: {
    expected: { stopReason: 'natural', reward: 0, turns: 4, commands: 3 },
    commandsOf: (turn) => (turn < 3 ? [turn] : []),
    answer: 41,
  },
  endless: {
    expected: { stopReason: 'max_turns', reward: 1, turns: MAX_TURNS, commands: MAX_TURNS },
    commandsOf: (turn) => [turn],
    answer: 42,
  },
};

export const TASK_IDS: readonly string[] = Object.keys(PARTS);

export function expectedOf(taskId: string): Expected {
  return partOf(taskId).expected;
}

/** The lines that the commands of a task leave in /app/effects, in order. */
export function linesOf(taskId: string): string[] {
  return Array.from({ length: expectedOf(taskId).commands }, (_, i) => `line-${i}`);
}

/** Appends first, so that a second start would be seen; answers how many lines there are. */
export function commandOf(taskId: string, index: number): string {
  const { answer } = partOf(taskId);
  return `echo line-${index} >> /app/effects; echo ${answer} > /app/answer; sleep ${COMMAND_SEC}; wc -l < /app/effects`;
}

/** Scores 1 when every line is there once and in order and the answer is 42; shows what it found. */
export function chaosTasks(sandbox: RunConfig['sandbox']): Promise<LoadedTask[]> {
  return Promise.all(
    TASK_IDS.map((taskId) =>
      inlineTask({
        taskId,
        // Bubblewrap has no images of its own: it shares the host's programs.
        ...(sandbox === 'bubblewrap' ? { image: 'host' } : {}),
        test: `#!/bin/bash
echo run >> /app/test-runs
echo "test runs: $(wc -l < /app/test-runs)"
cat /app/effects
mkdir -p /logs/verifier
printf '%s\\n' ${linesOf(taskId).join(' ')} > /app/wanted
if [ "$(cat /app/effects)" = "$(cat /app/wanted)" ] && [ "$(cat /app/answer)" = 42 ]
then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`,
        verifier: { timeoutMs: 60_000 },
      }),
    ),
  );
}

/** Which task a request is about. */
export function taskOf(call: SeenCall): string {
  const opening = call.messages.find(({ role }) => role === 'user')?.content ?? '';
  return TASK_IDS.find((taskId) => opening.includes(`Do ${taskId}.`)) ?? '';
}

/** The model's answer: depends on the task and the turn only, so that a repeated call is answered alike. */
export function chaosAnswer(call: SeenCall): Answer {
  const taskId = taskOf(call);
  const commands = partOf(taskId)
    .commandsOf(call.turn)
    .map((index) => commandOf(taskId, index));
  const [first] = commands;
  if (first === undefined) return after(MODEL_LATENCY_MS, says('Done.'));
  if (commands.length === 1) return after(MODEL_LATENCY_MS, runs(first));
  const calls = commands.map((command) => ({ name: 'terminal', arguments: { command } }));
  return after(MODEL_LATENCY_MS, completes({ calls }));
}

function partOf(taskId: string): Part {
  const part = PARTS[taskId];
  if (part === undefined) throw new Error(`no chaos task is called ${JSON.stringify(taskId)}`);
  return part;
}
