import { type CliIo, EXIT } from './cli-io.js';
import { COMMANDS } from './command-table.js';
import { printError } from './print-error.js';
import { buildProgram } from './program.js';

/** Runs one command line (without node and script) and answers the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  try {
    if (argv[0] === 'complete' && argv[1] === '--') return await complete(argv.slice(2), io);
    const program = await buildProgram(io, named(argv));
    if (argv.length === 0) {
      program.outputHelp();
      return EXIT.done;
    }
    await program.parseAsync(argv, { from: 'user' });
    return io.exitCode;
  } catch (error) {
    return printError(error, io, wantsJson(argv));
  }
}

/** Asked by the shell at each Tab: `longrun complete -- <words>`. */
async function complete(words: readonly string[], io: CliIo): Promise<number> {
  // The adapter brings its own `completion`.
  const entries = COMMANDS.filter(({ name }) => name !== 'completion');
  const program = await buildProgram(io, () => true, entries);
  const { completeWords } = await import('./completion/complete-words.js');
  io.stdout.write(completeWords(program, words, io.env));
  return EXIT.done;
}

/** Only the named command is loaded. */
function named(argv: readonly string[]): (name: string) => boolean {
  const words = argv.filter((word) => !word.startsWith('-'));
  const name = words[0] === 'help' ? words[1] : words[0];
  return (candidate) => candidate === name;
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}
