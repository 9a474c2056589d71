import { parseArgs } from 'node:util';
import { MINUTE_MS, SECOND_MS } from '../../../src/core/time.js';
import { Random } from './random.js';
import { type StressResult, stressRun } from './stress-run.js';

const HELP = `npm run chaos -- [--minutes 30] [--seed N] [--long-outage]

Injects random real faults into runs on two hosts (workers and server killed and frozen, lines to Temporal cut and
stalled, containers killed, a model endpoint that fails) and checks at the end that nothing was lost or paid twice.
--long-outage adds a model endpoint that is away for ten minutes. Exits with 1 when an invariant is broken.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'long-outage': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function positive(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && Number.isFinite(value)) return value;
  console.error(`--${name} takes a number, not ${JSON.stringify(text)}\n\n${HELP}`);
  process.exit(2);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

async function main(): Promise<void> {
  const minutes = positive('minutes', values.minutes);
  const seed = positive('seed', values.seed);
  const begun = Date.now();
  const say = (line: string) => console.log(`${clock(Date.now() - begun)}  ${line}`);
  console.log(`chaos: ${minutes} minutes, seed ${seed}`);
  const random = new Random(seed);
  const results: StressResult[] = [];
  let longOutage = values['long-outage'];
  do {
    const runId = `chaos-${seed}-${results.length + 1}`;
    say(`run ${runId} begins`);
    const untilMs = begun + minutes * MINUTE_MS;
    const result = await stressRun(runId, { untilMs, longOutage, random, say, signal: stop.signal });
    longOutage = false;
    results.push(result);
    say(`run ${runId}: ${describe(result)}`);
    for (const what of result.broken) say(`BROKEN  ${what}`);
  } while (Date.now() - begun < minutes * MINUTE_MS);
  const broken = results.reduce((sum, result) => sum + result.broken.length, 0);
  const faults = results.reduce((sum, result) => sum + result.faults, 0);
  console.log(
    `seed ${seed}: ${faults} faults, ${broken === 0 ? 'every invariant held' : `${broken} broken`}`,
  );
  process.exitCode = broken === 0 ? 0 : 1;
}

function describe({ rollouts, requests, lost, failed, faults, broken }: StressResult): string {
  const counts = `${rollouts} rollouts, ${requests} requests (${failed} failed tries, ${lost} lost calls)`;
  return `${faults} faults, ${counts}: ${broken.length === 0 ? 'every invariant holds' : 'BROKEN'}`;
}

function clock(ms: number): string {
  const whole = Math.floor(ms / SECOND_MS);
  return `${String(Math.floor(whole / 60)).padStart(3, '0')}:${String(whole % 60).padStart(2, '0')}`;
}

/** Whatever is still asleep in a fault must not keep the process, or strike again. */
function end(error: unknown): never {
  console.error(stop.signal.aborted ? 'interrupted: everything was taken down' : error);
  process.exit(stop.signal.aborted ? 130 : 1);
}

if (values.help) console.log(HELP);
else await main().catch(end);
