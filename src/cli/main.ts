#!/usr/bin/env node
import { processIo } from './cli-io.js';
import { runCli } from './run-cli.js';

const code = await runCli(process.argv.slice(2), processIo());
// Calls to a server that has gone are retried by timers, and connections are kept open: none of them may hold
// the terminal, or fail after everything was said. The empty writes wait for pipes to be drained.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
