import { fork } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASE_NAMES, type CaseName } from './bench-case.js';
import type { Measure } from './measure.js';
import { renderMeasures } from './render-measures.js';

const USAGE = `Usage: npm run bench -- [--only ${CASE_NAMES.join('|')}]... [--json FILE]

Measures longrun on this machine and prints a table. What is compared is compared in one run.
Results are also written to bench/results/<time>.json, or to FILE.`;

interface CaseResult {
  case: CaseName;
  seconds: number;
  measures: Measure[];
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) console.log(USAGE);
else await bench(namesOf(values.only), values.json);

function namesOf(only: string[] = []): CaseName[] {
  const unknown = only.filter((name) => !CASE_NAMES.includes(name as CaseName));
  if (unknown.length === 0) return CASE_NAMES.filter((name) => only.length === 0 || only.includes(name));
  console.error(`There is no case ${unknown.join(', ')}.\n${USAGE}`);
  process.exit(2);
}

async function bench(names: readonly CaseName[], file?: string): Promise<void> {
  const startedAt = new Date();
  const machine = { cores: availableParallelism(), cpu: cpus()[0]?.model ?? '', memoryBytes: totalmem() };
  const loadBefore = loadavg();
  const cases: CaseResult[] = [];
  for (const name of names) {
    console.error(`${name} …`);
    const begun = performance.now();
    const measures = await runCase(name);
    cases.push({ case: name, seconds: (performance.now() - begun) / 1000, measures });
  }
  const document = {
    started_at: startedAt.toISOString(),
    node: process.version,
    machine: { cores: machine.cores, cpu: machine.cpu, memory_bytes: machine.memoryBytes },
    load_before: loadBefore,
    load_after: loadavg(),
    cases,
  };
  const path = resolve(file ?? `bench/results/${startedAt.toISOString().replace(/[:.]/g, '-')}.json`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(document, null, 2)}\n`);
  console.log(renderMeasures(cases.flatMap(({ measures }) => measures)).join('\n'));
  console.error(`\nWritten to ${path}`);
}

function runCase(name: CaseName): Promise<Measure[]> {
  const program = fileURLToPath(new URL('./run-case.js', import.meta.url));
  const child = fork(program, [name], { execArgv: ['--expose-gc', '--enable-source-maps'] });
  let measures: Measure[] | null = null;
  child.once('message', (message) => {
    measures = message as Measure[];
  });
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (measures !== null) done(measures);
      else reject(new Error(`the case ${name} ended with ${code} and no result`));
    });
  });
}
