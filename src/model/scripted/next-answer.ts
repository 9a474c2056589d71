import { createHash } from 'node:crypto';
import type { ScriptedTurn, TaskScript } from './script.js';
import { parseScriptedName, type ScriptedBehaviour } from './scripted-name.js';
import { turnPosition } from './turn-position.js';
import type { WireRequest } from './wire-request.js';

export interface ScriptedAnswer {
  turn: number;
  answer: ScriptedTurn;
  delayMs: number;
}

/** Of a hundred rollouts of `scripted/demo`: so many are solved, so many fail, the rest is left half done. */
const DEMO_SOLVES = 60;
const DEMO_FAILS = 20;

const terminal = (command: string) => ({ name: 'terminal', arguments: { command } });
const FINISH: ScriptedTurn = { toolCalls: [{ name: 'finish', arguments: { summary: 'Done.' } }] };

/** What scripted models do with a task that no script was written for. */
const LOOK_AROUND: ScriptedTurn[] = [
  { content: 'I have no script for this task and only look around.', toolCalls: [terminal('pwd')] },
  { toolCalls: [terminal('ls -la')] },
  { toolCalls: [terminal('id; uname -a')] },
  FINISH,
];

/** The answer to a request: the same one for the same seed, task and position, whoever asks. */
export function nextAnswer(
  request: WireRequest,
  scripts: readonly TaskScript[],
  turnHeader?: string,
): ScriptedAnswer {
  const behaviour = parseScriptedName(request.model);
  const turn = turnPosition(request.messages, turnHeader);
  return { turn, answer: answerAt(request, behaviour, turn, scripts), delayMs: behaviour.delayMs };
}

function answerAt(
  request: WireRequest,
  behaviour: ScriptedBehaviour,
  turn: number,
  scripts: readonly TaskScript[],
): ScriptedTurn {
  // Whoever sends no tools wants text: the summary of older turns.
  if (!request.tools?.length) return { content: `A summary of ${request.messages.length} messages.` };
  if (behaviour.kind === 'turns') return plainTurn(turn, behaviour.turns);
  const first = request.messages.find((message) => message.role === 'user')?.content ?? '';
  const script = scripts.find((candidate) => first.includes(candidate.recognise));
  const turns = script ? script.variants[variantOf(behaviour.kind, request.seed ?? 0, script)] : LOOK_AROUND;
  return turns[turn] ?? FINISH;
}

/** Turn n of `turns-<n>` runs a command and finishes, so that n turns are n model calls and n commands. */
function plainTurn(turn: number, turns: number): ScriptedTurn {
  const command = terminal(`echo turn ${turn + 1} of ${turns}`);
  if (turn >= turns) return FINISH;
  return { toolCalls: turn === turns - 1 ? [command, ...(FINISH.toolCalls ?? [])] : [command] };
}

function variantOf(
  kind: Exclude<ScriptedBehaviour['kind'], 'turns'>,
  seed: number,
  script: TaskScript,
): keyof TaskScript['variants'] {
  if (kind !== 'demo') return kind;
  const draw = createHash('sha256').update(`${seed}\n${script.recognise}`).digest().readUInt32BE() % 100;
  if (draw < DEMO_SOLVES) return 'solves';
  return draw < DEMO_SOLVES + DEMO_FAILS ? 'fails' : 'partly';
}
