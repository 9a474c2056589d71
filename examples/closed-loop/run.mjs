#!/usr/bin/env node
/**
 * The whole loop on this machine: policy server, `longrun serve`, trainer. Ends when the trainer has made its steps.
 * Options: --steps, --seed, --break masks|sign, --output FOLDER, --sandbox. In the environment: PYTHON, a Python that
 * has numpy; LONGRUN, another main file than the built one.
 */
import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname(fileURLToPath(import.meta.url));
const LONGRUN = process.env.LONGRUN ?? join(HERE, '../../dist/src/cli/main.js');
const GROUP_SIZE = 8;
const BATCH_SIZE = 2 * GROUP_SIZE;

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '24' },
    seed: { type: 'string', default: '0' },
    break: { type: 'string' },
    sandbox: { type: 'string', default: 'auto' },
    output: { type: 'string', default: 'closed-loop-run' },
  },
});
const output = resolve(options.output);
const steps = join(output, 'steps.jsonl');

/** Ends what was started last first; the run is paused in order before its policy goes away. */
const started = [];
function start(command, args, stdout) {
  const child = spawn(command, args, {
    cwd: HERE,
    stdio: ['ignore', stdout, 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const ended = new Promise((done) => {
    child.once('error', (error) => done(`${command}: ${error.message}`));
    child.once('exit', (code, signal) => done(code ?? signal));
  });
  started.push({ child, ended });
  return { child, ended };
}
/** A path is one from where this was called, whatever folder the programs run in. */
const PYTHON = process.env.PYTHON?.includes('/')
  ? resolve(process.env.PYTHON)
  : (process.env.PYTHON ?? 'python3');
const python = (script, args, stdout) => start(PYTHON, [script, ...args], stdout);

async function stopAll() {
  for (const { child, ended } of started.reverse()) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function firstLine({ child, ended }) {
  const line = new Promise((read) => createInterface({ input: child.stdout }).once('line', read));
  const end = ended.then((code) => Promise.reject(new Error(`the policy server ended: ${code}`)));
  return Promise.race([line, end]);
}

async function main() {
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const policy = await firstLine(python('policy_server.py', ['--port', '0', '--seed', options.seed], 'pipe'));
  const port = await freePort();
  const run = [
    ...['serve', join(HERE, 'tasks'), '--listen', `127.0.0.1:${port}`, '--state-dir', join(output, 'state')],
    ...['--model', 'tool-chooser', '--base-url', `${policy}/v1`, '--token-api', 'chat', '--temperature', '1'],
    ...['--policy-versions', 'endpoint', '--group-size', `${GROUP_SIZE}`, '--keep-zero-variance'],
    ...['--max-batches-offpolicy', '2', '--concurrency', `${2 * BATCH_SIZE}`, '--seed', options.seed],
    ...['--max-turns', '3', '--sandbox', options.sandbox, '--run-id', 'closed-loop'],
  ];
  const serving = start(process.execPath, [LONGRUN, ...run], 'ignore');
  const training = python(
    'trainer.py',
    [
      ...['--api', `http://127.0.0.1:${port}`, '--policy', policy, '--steps', options.steps],
      ...[
        '--batch-size',
        `${BATCH_SIZE}`,
        '--output',
        steps,
        ...(options.break ? ['--break', options.break] : []),
      ],
    ],
    'inherit',
  );
  const code = await Promise.race([
    training.ended,
    serving.ended.then((end) => `longrun serve ended: ${end}`),
  ]);
  if (code !== 0) throw new Error(`${code}`);
  const drawing = python('plot.py', [join(output, 'success.svg'), `success=${steps}`], 'inherit');
  if ((await drawing.ended) !== 0) throw new Error('there is no plot');
  console.log(`Steps and plot: ${output}`);
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stopAll().then(() => process.exit(130)));
try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await stopAll();
}
