import { Float, pythonJson } from '../../formats/python-json.js';
import type { PolicyMark } from './listener.schema.js';
import { matrixText, valuesText } from './number-text.js';
import { type BodyProblem, RefusedBody } from './refused-body.js';

/** Of the id of a group: it is kept in memory and in the log for as long as the group waits. */
const MAX_ID = 500;

/** A `ScoredData` that was checked, as JSON that is handed out unchanged but for `group_overrides`. */
export interface ScoredItem {
  /** Sequences in it. */
  size: number;
  envId: number | null;
  groupId: string | null;
  /** Which item of its group it is, where a group has several. */
  itemOfGroup: string | number;
  /** Of the run's own groups. */
  policy: PolicyMark | null;
  /** `group_overrides`, and an object with everything else, both as JSON. */
  groupOverrides: string;
  rest: string;
}

export type Loc = BodyProblem['loc'];
type Json = Record<string, unknown>;

/**
 * Reads what was posted as the original does (strings of digits are numbers, unknown fields are dropped), and checks
 * what it does not: that every number is finite, and that masks, scores and log-probabilities fit the tokens.
 * Throws `RefusedBody`.
 */
export function readScoredData(value: unknown, loc: Loc = ['body']): ScoredItem {
  if (!isObject(value)) throw refused('model_type', loc, 'a ScoredData object is expected');
  const at = (name: string): Loc => [...loc, name];
  for (const name of ['tokens', 'masks', 'scores'])
    if (value[name] === undefined) throw refused('missing', at(name), 'Field required');
  const tokens = matrixText(value.tokens, at('tokens'), 'int');
  if (tokens.lengths.length === 0)
    throw refused('too_short', at('tokens'), 'a group has at least one sequence');
  const rows = (name: string, kind: 'int' | 'float') =>
    sameShape(value[name], at(name), kind, tokens.lengths);
  const topK = (name: string, kind: 'int' | 'float') => cubeText(value[name], at(name), kind);
  const envId =
    value.env_id == null ? null : Number(valuesText([value.env_id], at('env_id'), 'int').slice(1, -1));
  const groupOverrides = object(value.group_overrides, at('group_overrides'));
  const members = [
    `"tokens": ${tokens.text}`,
    `"masks": ${rows('masks', 'int')}`,
    `"scores": ${scoresText(value.scores, at('scores'), tokens.lengths.length)}`,
    `"advantages": ${value.advantages == null ? 'null' : rows('advantages', 'float')}`,
    `"ref_logprobs": ${value.ref_logprobs == null ? 'null' : rows('ref_logprobs', 'float')}`,
    `"messages": ${messagesText(value.messages, at('messages'))}`,
    `"generation_params": ${object(value.generation_params, at('generation_params'))}`,
    `"inference_logprobs": ${value.inference_logprobs == null ? 'null' : rows('inference_logprobs', 'float')}`,
    `"overrides": ${overridesText(value.overrides, at('overrides'))}`,
    `"images": ${freeText(value.images, at('images'))}`,
    `"env_id": ${envId}`,
    `"distill_token_ids": ${topK('distill_token_ids', 'int')}`,
    `"distill_logprobs": ${topK('distill_logprobs', 'float')}`,
  ];
  const own = isObject(value.group_overrides) ? value.group_overrides : {};
  for (const field of ['group_id', 'item'])
    if (typeof own[field] === 'string' && own[field].length > MAX_ID)
      throw refused(
        'too_long',
        [...at('group_overrides'), field],
        `at most ${MAX_ID} characters are accepted`,
      );
  return {
    size: tokens.lengths.length,
    envId,
    groupId: typeof own.group_id === 'string' ? own.group_id : null,
    itemOfGroup: typeof own.item === 'number' || typeof own.item === 'string' ? own.item : 0,
    policy: null,
    groupOverrides,
    rest: `{${members.join(', ')}}`,
  };
}

export const refused = (type: string, loc: Loc, msg: string): RefusedBody =>
  new RefusedBody([{ type, loc, msg }]);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);

function sameShape(value: unknown, loc: Loc, kind: 'int' | 'float', lengths: readonly number[]): string {
  const { text, lengths: found } = matrixText(value, loc, kind);
  if (found.length !== lengths.length)
    throw refused('length', loc, `${found.length} sequences, and ${lengths.length} in tokens`);
  const off = found.findIndex((length, i) => length !== lengths[i]);
  if (off !== -1) throw refused('length', [...loc, off], `${found[off]} values for ${lengths[off]} tokens`);
  return text;
}

/** [sequence][position][k] */
function cubeText(value: unknown, loc: Loc, kind: 'int' | 'float'): string {
  if (value == null) return 'null';
  if (!Array.isArray(value)) throw refused('list_type', loc, 'a list is expected');
  return `[${value.map((matrix, i) => matrixText(matrix, [...loc, i], kind).text).join(',')}]`;
}

function scoresText(value: unknown, loc: Loc, sequences: number): string {
  const text = valuesText(value, loc, 'float');
  const { length } = value as unknown[];
  if (length !== sequences) throw refused('length', loc, `${length} scores for ${sequences} sequences`);
  return text;
}

/** Anything that JSON can say; numbers finite. */
function freeText(value: unknown, loc: Loc): string {
  try {
    return pythonJson(value);
  } catch (error) {
    if (error instanceof RangeError) throw refused('finite_number', loc, error.message);
    throw error;
  }
}

function object(value: unknown, loc: Loc): string {
  if (value != null && !isObject(value)) throw refused('dict_type', loc, 'an object is expected');
  return freeText(value, loc);
}

function overridesText(value: unknown, loc: Loc): string {
  if (value != null && !(Array.isArray(value) && value.every(isObject)))
    throw refused('list_type', loc, 'a list of objects is expected');
  return freeText(value, loc);
}

function messagesText(value: unknown, loc: Loc): string {
  if (value == null) return 'null';
  if (!Array.isArray(value)) throw refused('list_type', loc, 'a list of conversations is expected');
  for (const [i, conversation] of value.entries()) {
    if (!Array.isArray(conversation))
      throw refused('list_type', [...loc, i], 'a list of messages is expected');
    for (const message of conversation)
      if (!isObject(message) || !('role' in message) || !('content' in message))
        throw refused('value_error', loc, "Message must have 'role' and 'content' fields");
  }
  return freeText(value, loc);
}
