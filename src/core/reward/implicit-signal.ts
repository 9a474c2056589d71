import type { Episode } from '../trajectory/episode.schema.js';
import type { RewardSignal } from '../trajectory/reward-signal.schema.js';
import { answersOf, type ToolCallFact, toolCallsOf } from './tool-calls.js';

/** What an episode shows without anyone having judged it. */
export interface ImplicitCounts {
  /** Answers of the model. */
  turns: number;
  toolCalls: number;
  /** Tool calls that failed. */
  errors: number;
  /** Tool calls that repeat an earlier one word by word. */
  retries: number;
  /** Different files that were written or changed by a tool for that. */
  filesWritten: number;
  skillsCreated: number;
  memoryWrites: number;
}

/** Snake case, as they stand in a weights file behind `implicit.`. */
export const IMPLICIT_NAMES = [
  'session_length',
  'errors',
  'retries',
  'files_written',
  'skills_created',
  'memory_writes',
] as const;
export type ImplicitName = (typeof IMPLICIT_NAMES)[number];

/** How much each moves the signal; those below zero sum to -0.5, the others to 0.5, so that 0.5 + sum is in [0, 1]. */
export const IMPLICIT_WEIGHTS: Readonly<Record<ImplicitName, number>> = {
  session_length: -0.2,
  errors: -0.2,
  retries: -0.1,
  files_written: 0.25,
  skills_created: 0.125,
  memory_writes: 0.125,
};

/** Where a count stops to matter: the turns of a session that did not end by itself, and what is plenty. */
const FULL = { turns: 50, filesWritten: 3, skillsCreated: 1, memoryWrites: 2 } as const;

const WRITERS = new Set(['write_file', 'patch', 'edit_file', 'create_file', 'str_replace', 'apply_patch']);
const PATH_NAMES = ['path', 'file_path', 'filename', 'file'];
const WRITING_ACTIONS = new Set(['add', 'replace', 'write', 'create', 'save', 'store', 'update', 'insert']);

/** Counts over the messages of an episode. */
export function implicitCounts(episode: Episode): ImplicitCounts {
  const calls = toolCallsOf(episode);
  const worked = calls.filter(({ success }) => success !== false);
  const files = worked.flatMap(writtenFile);
  return {
    turns: answersOf(episode).length,
    toolCalls: calls.length,
    errors: calls.length - worked.length,
    retries: calls.length - new Set(calls.map((call) => `${call.name}\n${call.arguments}`)).size,
    filesWritten: new Set(files).size,
    skillsCreated: worked.filter(createsSkill).length,
    memoryWrites: worked.filter(writesMemory).length,
  };
}

/** Each count as a number in [0, 1]: shares of the tool calls for errors and retries, counts up to what is plenty else. */
export function implicitLevels(counts: ImplicitCounts): Record<ImplicitName, number> {
  const share = (n: number): number => (counts.toolCalls === 0 ? 0 : n / counts.toolCalls);
  const upTo = (n: number, full: number): number => Math.min(1, n / full);
  return {
    session_length: upTo(counts.turns, FULL.turns),
    errors: share(counts.errors),
    retries: share(counts.retries),
    files_written: upTo(counts.filesWritten, FULL.filesWritten),
    skills_created: upTo(counts.skillsCreated, FULL.skillsCreated),
    memory_writes: upTo(counts.memoryWrites, FULL.memoryWrites),
  };
}

/**
 * The implicit reward of an episode: 0.5 + Σ weight × level, in [0, 1]. Of low quality: it only goes
 * along with success. Null without a single answer: there is nothing to see. `at` in epoch milliseconds.
 */
export function implicitSignal(episode: Episode, at: number | null): RewardSignal | null {
  const counts = implicitCounts(episode);
  if (counts.turns === 0) return null;
  const levels = implicitLevels(counts);
  const moved = IMPLICIT_NAMES.reduce((sum, name) => sum + IMPLICIT_WEIGHTS[name] * levels[name], 0);
  return {
    source: 'implicit',
    quality: 'low',
    value: Math.min(1, Math.max(0, 0.5 + moved)),
    shape: 'continuous',
    parts: null,
    components: {
      turns: counts.turns,
      tool_calls: counts.toolCalls,
      errors: counts.errors,
      retries: counts.retries,
      files_written: counts.filesWritten,
      skills_created: counts.skillsCreated,
      memory_writes: counts.memoryWrites,
    },
    by: 'implicit',
    at,
    note: null,
  };
}

function writtenFile(call: ToolCallFact): string[] {
  if (!WRITERS.has(call.name)) return [];
  const given = argumentsOf(call);
  const path = PATH_NAMES.map((name) => given[name]).find((value) => typeof value === 'string');
  return [typeof path === 'string' ? path : call.arguments];
}

/** `skill_manage` with action create, `create_skill`, or a file that makes a skill by its name. */
function createsSkill(call: ToolCallFact): boolean {
  if (/skill/i.test(call.name)) return /create/i.test(call.name) || argumentsOf(call).action === 'create';
  return writtenFile(call).some((path) => /(^|\/)SKILL\.md$/.test(path));
}

function writesMemory(call: ToolCallFact): boolean {
  if (!/memory|remember/i.test(call.name)) return false;
  if (/write|save|add|store|remember|update/i.test(call.name)) return true;
  const { action } = argumentsOf(call);
  return typeof action === 'string' && WRITING_ACTIONS.has(action.toLowerCase());
}

/** The arguments as an object; unreadable ones count as none. */
function argumentsOf(call: ToolCallFact): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(call.arguments);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
