import { z } from 'zod';
import { badInput } from '../../core/errors.js';
import { errnoOf } from '../../store/filesystem/store-error.js';
import { readLines } from '../../trajectories/files/read-lines.js';

const text = z.string().trim().min(1);
const rowSchema = z.looseObject({
  prompt: text,
  image: text.optional(),
  /** Another name for it. */
  docker_image: text.optional(),
  cwd: text.startsWith('/').optional(),
});

/** One row of a prompt list. The same prompt may stand in several. */
export interface PromptRow {
  /** In its file, from 1. */
  line: number;
  prompt: string;
  image: string | null;
  /** Where commands start; absolute. */
  cwd: string | null;
  /** The row's other fields. */
  own: Record<string, unknown>;
}

const SHOWN_PROBLEMS = 10;

/** The rows of a prompt list (`.jsonl`, also `.gz`). Errors: `bad_input` naming every line that cannot be used. */
export async function readPrompts(file: string): Promise<PromptRow[]> {
  const rows: PromptRow[] = [];
  const problems: string[] = [];
  try {
    for await (const line of readLines(file)) {
      const read = 'text' in line ? readRow(line.text, line.number) : line.broken;
      if (typeof read === 'string') problems.push(`${file}:${line.number}: ${read}`);
      else rows.push(read);
    }
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    throw badInput(`--prompts: ${file} cannot be read: ${(cause as Error).message}.`, HINT);
  }
  if (problems.length > 0) {
    const more = problems.length > SHOWN_PROBLEMS ? `\n  and ${problems.length - SHOWN_PROBLEMS} more` : '';
    const shown = problems.slice(0, SHOWN_PROBLEMS).join('\n  ');
    throw badInput(`--prompts: ${problems.length} lines cannot be used:\n  ${shown}${more}`, HINT, {
      problems,
    });
  }
  if (rows.length === 0) throw badInput(`--prompts: ${file} holds no prompts.`, HINT);
  return rows;
}

const HINT =
  'A line is a JSON object with "prompt", and if need be "image" and "cwd": {"prompt":"List the files."}';

/** The row, or what is wrong with it. */
function readRow(line: string, number: number): PromptRow | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'no JSON';
  }
  const parsed = rowSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'the row'}: ${issue?.message}`;
  }
  const { prompt, image, docker_image, cwd, ...own } = parsed.data;
  return { line: number, prompt, image: image ?? docker_image ?? null, cwd: cwd ?? null, own };
}
