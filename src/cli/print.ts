import { escapeJson } from '../report/escape-terminal.js';
import type { CliIo } from './cli-io.js';

/** The one document of a command that was asked for `--json`. A terminal may show it, so it is escaped. */
export function printJson(io: CliIo, document: unknown): void {
  io.stdout.write(`${escapeJson(JSON.stringify(document, null, 2))}\n`);
}

export function printLines(io: CliIo, lines: readonly string[]): void {
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
