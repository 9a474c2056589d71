import type { BenchCase } from '../measure.js';
import { type Measure, median, perSecond } from '../measure.js';
import { TrajectoryServer } from '../trajectory-server.js';

const GROUPS = 64;
const MEMBERS = 8;
const TOKENS = 4096;
const BATCH_GROUPS = 8;
const ROUNDS = 2;
const QUEUED = 10_000;
const QUEUED_TOKENS = 128;
const PER_LIST = 50;
const MIB = 1024 * 1024;

interface Round {
  groupsPerSecond: number;
  postMs: number[];
  batchMs: number[];
}

/** Groups through our trainer API, on disk, beside the real Atropos server, in memory; then 10,000 groups that wait. */
export const listen: BenchCase = async (say) => {
  const measures: Measure[] = [];
  const rounds: Record<string, Round[]> = {};
  // In turns, so that both see the same machine.
  for (let round = 0; round < ROUNDS; round++)
    for (const start of [TrajectoryServer.ours, TrajectoryServer.atropos]) {
      const server = await start();
      if (server === null) {
        say('the real Atropos server is not installed here: `npm test` installs it');
        continue;
      }
      const passed = await passGroups(server, round).finally(() => server.end());
      rounds[server.name] = [...(rounds[server.name] ?? []), passed];
      say(`${server.name}: ${passed.groupsPerSecond.toFixed(1)} groups/s`);
    }
  for (const [name, of] of Object.entries(rounds)) measures.push(...throughput(name, of));
  for (const start of [TrajectoryServer.ours, TrajectoryServer.atropos]) {
    const server = await start();
    if (server !== null) measures.push(await memory(server).finally(() => server.end()));
  }
  return measures;
};

async function passGroups(server: TrajectoryServer, round: number): Promise<Round> {
  await server.register(BATCH_GROUPS * MEMBERS);
  const bodies = Array.from({ length: GROUPS }, (_, i) => groupJson(`${round}-${i}`, TOKENS));
  const begun = performance.now();
  const postMs: number[] = [];
  for (const body of bodies) postMs.push((await server.ask('POST', '/scored_data', body)).ms);
  const batchMs: number[] = [];
  for (let had = 0; had < GROUPS / BATCH_GROUPS; ) {
    // The original knows no `ack`, and does not mind.
    const { text, ms } = await server.ask('GET', `/batch?ack=${had}`);
    if (text.startsWith('{"batch":null')) throw new Error(`${server.name} has no batch after ${had}`);
    batchMs.push(ms);
    had += 1;
  }
  return { groupsPerSecond: perSecond(GROUPS, performance.now() - begun), postMs, batchMs };
}

function throughput(name: string, rounds: readonly Round[]): Measure[] {
  const size = `${ROUNDS} × ${GROUPS} groups of ${MEMBERS} × ${TOKENS} tokens, one client`;
  const measure = (what: string, value: number, unit: string, note: string): Measure => ({
    ...{ name: `${name}: ${what}`, value, unit, target: null, note },
  });
  return [
    measure('groups posted and handed out', median(rounds.map((r) => r.groupsPerSecond)), '/s', size),
    measure('post', median(rounds.flatMap((r) => r.postMs)), 'ms', 'median; one group'),
    measure('batch', median(rounds.flatMap((r) => r.batchMs)), 'ms', `median; ${BATCH_GROUPS} groups`),
  ];
}

async function memory(server: TrajectoryServer): Promise<Measure> {
  await server.register(BATCH_GROUPS * MEMBERS);
  await server.ask('POST', '/scored_data', groupJson('warm', QUEUED_TOKENS));
  const before = await server.residentBytes();
  for (let i = 0; i < QUEUED; i += PER_LIST) {
    const list = Array.from({ length: PER_LIST }, (_, j) => groupJson(`${i + j}`, QUEUED_TOKENS).toString());
    await server.ask('POST', '/scored_data_list', Buffer.from(`[${list.join(',')}]`));
  }
  const { queue_size } = JSON.parse((await server.ask('GET', '/status')).text) as { queue_size: number };
  if (queue_size !== QUEUED + 1) throw new Error(`${server.name} has ${queue_size} groups`);
  return {
    name: `${server.name}: memory for ${QUEUED.toLocaleString('en')} queued groups`,
    value: ((await server.residentBytes()) - before) / MIB,
    unit: 'MB',
    target: null,
    note: `resident size beyond ${(before / MIB).toFixed(0)} MB with one; ${MEMBERS} × ${QUEUED_TOKENS} tokens`,
  };
}

/** Ids and log-probabilities that hardly repeat, half of each sequence trained. */
function groupJson(id: string, tokens: number): Buffer {
  const rows = <T>(of: (i: number) => T) =>
    Array.from({ length: MEMBERS }, () => Array.from({ length: tokens }, (_, i) => of(i)));
  const ids = rows(() => Math.floor(Math.random() * 150_000));
  return Buffer.from(
    JSON.stringify({
      tokens: ids,
      masks: ids.map((row) => row.map((token, i) => (i < tokens / 2 ? -100 : token))),
      scores: ids.map((_, i) => i % 2),
      inference_logprobs: rows((i) => (i < tokens / 2 ? 1 : -Math.random())),
      group_overrides: { group_id: id },
    }),
  );
}
