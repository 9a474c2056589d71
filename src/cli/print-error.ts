import { CommanderError } from 'commander';
import { LongrunError } from '../core/errors.js';
import { escapeTerminal } from '../report/escape-terminal.js';
import { toSnakeCase } from '../store/wire/wire-names.js';
import { type CliIo, EXIT, wantsColour } from './cli-io.js';
import { printJson } from './print.js';

/** Prints what ended a command, once and in one form, and answers the exit code. */
export function printError(error: unknown, io: CliIo, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  // The help of a group that was called without a subcommand: already printed.
  if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
  const known = toLongrunError(error);
  if (json) {
    const { code, message, hint } = known;
    const details = Object.fromEntries(
      Object.entries(known.details).map(([name, value]) => [toSnakeCase(name), value]),
    );
    printJson(io, { error: { code, message, hint: hint ?? null, details } });
  }
  io.stderr.write(errorText(known.message, known.hint, wantsColour(io.stderr, io.env)));
  if (known.code === 'internal' && known.stack) io.stderr.write(`${escapeTerminal(known.stack)}\n`);
  return known.exitCode;
}

/** The two lines that every error has for a person; escaped, as messages quote what came from outside. */
export function errorText(message: string, hint: string | null | undefined, colour: boolean): string {
  const label = (text: string, code: number): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines = [`${label('error:', 31)} ${escapeTerminal(message)}\n`];
  if (hint) lines.push(`${label('hint:', 36)}  ${escapeTerminal(hint)}\n`);
  return lines.join('');
}

function toLongrunError(error: unknown): LongrunError {
  if (LongrunError.is(error)) return error;
  if (error instanceof CommanderError) return usageError(error);
  const message = error instanceof Error ? error.message : String(error);
  const wrapped = new LongrunError('internal', message, {
    hint: 'This is a fault in longrun: please report it with the lines below.',
    cause: error,
  });
  if (error instanceof Error && error.stack) wrapped.stack = error.stack;
  return wrapped;
}

/** commander's own words, with its suggestion as the hint. */
function usageError(error: CommanderError & { command?: string }): LongrunError {
  const [message = '', suggestion] = error.message
    .trim()
    .replace(/^error: /, '')
    .split('\n(Did you mean ');
  const meant = suggestion?.replace(/\?\)$/, '');
  return new LongrunError('bad_input', message, {
    exitCode: EXIT.usage,
    hint: meant ? `Did you mean ${meant}?` : `See: ${error.command ?? 'longrun'} --help`,
  });
}
