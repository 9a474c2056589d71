import { LongrunError } from '../../core/errors.js';

export const SCRIPTED_PREFIX = 'scripted/';
export const isScripted = (model: string): boolean => model.startsWith(SCRIPTED_PREFIX);

/** What a scripted model does, as its name says. */
export interface ScriptedBehaviour {
  /** `demo` draws one of the others by seed and task; `turns` needs no script. */
  kind: 'demo' | 'solves' | 'fails' | 'partly' | 'turns';
  /** Only for `turns`: model calls until it is done, the last one included. */
  turns: number;
  delayMs: number;
}

const NAMED = { demo: 'demo', solver: 'solves', failing: 'fails', partly: 'partly' } as const;
/** With which a user may try them; `-delay-<ms>ms` goes with each. */
export const SCRIPTED_NAMES = [...Object.keys(NAMED), 'turns-<n>'].map((name) => SCRIPTED_PREFIX + name);
const MAX_TURNS = 10_000;

/** Reads `scripted/<name>[-delay-<ms>ms]`. Throws `model_unknown`, naming what exists. */
export function parseScriptedName(model: string): ScriptedBehaviour {
  const match = /^scripted\/(?:turns-(\d{1,5})|([a-z]+))(?:-delay-(\d{1,7})ms)?$/.exec(model);
  const delayMs = Number(match?.[3] ?? 0);
  const turns = Number(match?.[1] ?? 0);
  const name = match?.[2] ?? '';
  if (turns >= 1 && turns <= MAX_TURNS) return { kind: 'turns', turns, delayMs };
  if (Object.hasOwn(NAMED, name)) return { kind: NAMED[name as keyof typeof NAMED], turns: 0, delayMs };
  throw new LongrunError('model_unknown', `no scripted model "${model}"`, {
    hint: `There are ${SCRIPTED_NAMES.join(', ')}, each also with -delay-<ms>ms behind it`,
    exitCode: 2,
  });
}
