import { LongrunError } from '../../core/errors.js';

/** One step of a Dockerfile, in the subset that drivers without a builder run themselves. */
export type DockerfileStep =
  | { kind: 'copy'; sources: string[]; destination: string; mode: number | null; line: number }
  | { kind: 'workdir'; path: string; line: number }
  | { kind: 'env'; values: Record<string, string>; line: number }
  | { kind: 'run'; script: string; line: number };

/** The instructions a subset driver accepts, for messages and its README. */
export const SUPPORTED_INSTRUCTIONS = 'FROM, COPY, WORKDIR, ENV, ARG, RUN, USER root';

/** They describe how a container is started or labelled; an exec in a sandbox does not look at them. */
const WITHOUT_EFFECT = new Set(['CMD', 'ENTRYPOINT', 'LABEL', 'EXPOSE', 'MAINTAINER', 'STOPSIGNAL']);

/**
 * Reads the supported subset; `baseEnv` is what `$PATH` and the like stand for at the start.
 * Error: `image_build_failed` naming the line and the instruction.
 */
export function parseDockerfile(text: string, baseEnv: Record<string, string>): DockerfileStep[] {
  const steps: DockerfileStep[] = [];
  const variables: Record<string, string> = { ...baseEnv };
  for (const { text: source, line } of logicalLines(text)) {
    const match = /^\s*([A-Za-z]+)\s+([\s\S]*)$/.exec(source);
    if (!match) throw refused(line, `"${source.trim()}" is not an instruction`);
    const step = readInstruction(
      (match[1] as string).toUpperCase(),
      (match[2] as string).trim(),
      line,
      variables,
    );
    if (step !== null) steps.push(step);
  }
  return steps;
}

function readInstruction(
  name: string,
  rest: string,
  line: number,
  variables: Record<string, string>,
): DockerfileStep | null {
  if (WITHOUT_EFFECT.has(name) || name === 'FROM') return null;
  switch (name) {
    case 'WORKDIR':
      return { kind: 'workdir', path: expand(unquote(rest), variables), line };
    case 'ENV': {
      const values = assignments(rest, variables);
      Object.assign(variables, values);
      return { kind: 'env', values, line };
    }
    case 'ARG': {
      const at = rest.indexOf('=');
      if (at > 0) variables[rest.slice(0, at)] ??= expand(unquote(rest.slice(at + 1)), variables);
      return null;
    }
    case 'USER':
      if (/^(root|0)(:(root|0))?$/.test(rest)) return null;
      throw refused(line, `USER ${rest} is not supported (only root)`);
    case 'COPY':
      return copyStep(rest, line, variables);
    case 'RUN':
      return { kind: 'run', script: runScript(rest, line), line };
    default:
      throw refused(line, `${name} is not supported`);
  }
}

function copyStep(rest: string, line: number, variables: Record<string, string>): DockerfileStep {
  let remaining = rest;
  let mode: number | null = null;
  for (;;) {
    const flag = /^--([a-z]+)(?:=(\S+))?\s+/.exec(remaining);
    if (!flag) break;
    remaining = remaining.slice(flag[0].length);
    const value = flag[2] ?? '';
    if (flag[1] === 'chmod' && /^[0-7]{3,4}$/.test(value)) mode = Number.parseInt(value, 8);
    else if (flag[1] !== 'chown' || !/^(root|0)(:(root|0))?$/.test(value)) {
      throw refused(line, `COPY ${flag[0].trim()} is not supported`);
    }
  }
  const words = remaining.startsWith('[') ? jsonWords(remaining, line) : splitWords(remaining).map(unquote);
  const paths = words.map((word) => expand(word, variables));
  const destination = paths.pop();
  if (destination === undefined || paths.length === 0)
    throw refused(line, 'COPY needs a source and a destination');
  if (paths.some((path) => path.startsWith('<<')))
    throw refused(line, 'COPY of a here-document is not supported');
  return { kind: 'copy', sources: paths, destination, mode, line };
}

function runScript(rest: string, line: number): string {
  if (rest.startsWith('--')) throw refused(line, `RUN ${splitWords(rest)[0]} is not supported`);
  if (rest.startsWith('<<')) throw refused(line, 'RUN with a here-document is not supported');
  if (!rest.startsWith('[')) return rest;
  return jsonWords(rest, line)
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ');
}

function jsonWords(text: string, line: number): string[] {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch (cause) {
    throw refused(line, `"${text}" is not a JSON array of strings`, cause);
  }
  throw refused(line, `"${text}" is not a JSON array of strings`);
}

/** `ENV a=b c="d e"` and the old form `ENV a b c`. */
function assignments(rest: string, variables: Record<string, string>): Record<string, string> {
  const words = splitWords(rest);
  if (!(words[0] as string).includes('=')) {
    const at = rest.search(/\s/);
    return { [rest.slice(0, at)]: expand(rest.slice(at).trim(), variables) };
  }
  const pairs = words.map((word) => {
    const at = word.indexOf('=');
    return [word.slice(0, at), expand(unquote(word.slice(at + 1)), variables)] as const;
  });
  return Object.fromEntries(pairs);
}

function splitWords(text: string): string[] {
  return text.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
}

function unquote(word: string): string {
  return word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
    double !== undefined ? (double as string).replace(/\\(.)/g, '$1') : ((single ?? escaped) as string),
  );
}

function expand(word: string, variables: Record<string, string>): string {
  return word.replace(
    /\$(?:(\w{1,100})|\{(\w{1,100})(?::-([^}]{0,10000}))?\})/g,
    (_, plain, braced, fallback) => {
      const value = variables[(plain ?? braced) as string];
      return value === undefined || value === '' ? ((fallback ?? '') as string) : value;
    },
  );
}

/** Joins continued lines and drops comments; `line` is where each instruction starts. */
function logicalLines(text: string): { text: string; line: number }[] {
  const result: { text: string; line: number }[] = [];
  let open: { text: string; line: number } | null = null;
  text.split(/\r?\n/).forEach((raw, index) => {
    if (/^\s*#/.test(raw) || (raw.trim() === '' && open === null)) return;
    const continued = /\\\s*$/.test(raw);
    const part = continued ? raw.replace(/\\\s*$/, '') : raw;
    open = open === null ? { text: part, line: index + 1 } : { text: open.text + part, line: open.line };
    if (continued) return;
    result.push(open);
    open = null;
  });
  if (open !== null) result.push(open);
  return result;
}

function refused(line: number, what: string, cause?: unknown): LongrunError {
  return new LongrunError('image_build_failed', `Dockerfile line ${line}: ${what} by this sandbox driver.`, {
    hint: `Use --sandbox docker, or keep to ${SUPPORTED_INSTRUCTIONS}.`,
    details: { line },
    cause,
  });
}
