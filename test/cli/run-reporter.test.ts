import { expect, it } from 'vitest';
import type { CliIo } from '../../src/cli/cli-io.js';
import { settingsContext } from '../../src/cli/command-context.js';
import { RunReporter } from '../../src/cli/run-reporter.js';

async function terminal() {
  const written: string[] = [];
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  const stderr = { write, isTTY: true as const };
  const io: CliIo = { stdout: { write }, stderr, stdin: {}, env: {}, now: () => 0, exitCode: 0 };
  const context = await settingsContext({}, io);
  return { context, written };
}

it('a line that is said while a run is prepared replaces what stood there', async () => {
  const { context, written } = await terminal();
  const reporter = new RunReporter(context, { failUnder: null, output: null, runId: null });
  await reporter.attend(async () => {
    context.say('Run r: 1 task');
    context.say('and more');
  });
  expect(written.join('')).toBe('Preparing …\r\u001b[KRun r: 1 task\nand more\n');
});
