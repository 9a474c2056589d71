import { type Logger, pino, stdSerializers } from 'pino';
import { prettyFactory } from 'pino-pretty';

import { REDACTED, redact } from '../core/text/redact.js';

import { escapeJson, escapeTerminal, escapeTerminalLine } from '../report/escape-terminal.js';

const SECRET_NAME = /key|token|secret|password|authorization/i;
const MAX_DEPTH = 8;

export interface LoggerOptions {
  level: string;
  /** Lines for people rather than JSON. */
  pretty: boolean;
  colour: boolean;
  /** Values that must never appear, wherever they turn up: API keys. */
  secrets: readonly string[];
  write(line: string): void;
}

/** Logs with secrets redacted, by the name of the field and by value, and nothing that a terminal acts on. */
export function createLogger(options: LoggerOptions): Logger {
  const format = options.pretty
    ? prettyFactory({ colorize: options.colour, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' })
    : null;
  const write = (line: string): void => {
    const clean = redact(line, options.secrets);
    options.write(format ? format(readable(clean)) : escapeJson(clean));
  };
  return pino(
    {
      level: options.level,
      base: null,
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
      formatters: { log: (fields) => withoutNamed(fields, 0) as Record<string, unknown> },
    },
    { write },
  );
}

/** A logged line whose texts may be shown: a message is one line, so that it cannot pass for several. */
function readable(line: string): Record<string, unknown> {
  const { msg, ...fields } = JSON.parse(line);
  return { ...(escaped(fields) as Record<string, unknown>), msg: escapeTerminalLine(String(msg ?? '')) };
}

function escaped(value: unknown): unknown {
  if (typeof value === 'string') return escapeTerminal(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [escapeTerminalLine(name), escaped(inner)]),
  );
}

/** Texts under names such as `apiKey` or `authorization` are blanked; numbers (counts of tokens) stay. */
function withoutNamed(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || depth > MAX_DEPTH)
    return value;
  if (Array.isArray(value)) return value.map((item) => withoutNamed(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && SECRET_NAME.test(name) ? REDACTED : withoutNamed(inner, depth + 1),
    ]),
  );
}

/** Values of environment variables that hold secrets: the API key's, and whatever is named like one. */
export function secretValues(env: NodeJS.ProcessEnv, apiKeyEnv: string | null): string[] {
  return Object.entries(env)
    .filter(([name]) => name === apiKeyEnv || /(_KEY|_TOKEN|_SECRET|PASSWORD)$/i.test(name))
    .flatMap(([, value]) => (value ? [value] : []));
}
