import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupId } from '../../src/core/ids.js';
import type { Policy, PolicyServer } from '../../src/model/policy-server/index.js';
import { type AtroposDelivery, atroposDeliverySchema } from '../../src/sinks/atropos/ledger.schema.js';
import { AppendLog } from '../../src/store/append-log.js';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { feedEntrySchema } from '../../src/store/records/serve.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { type LongrunCommand, longrunJson, startLongrun } from '../chaos/support/longrun-command.js';
import { answerTest } from '../support/inline-task.js';
import { startPolicyServer } from '../support/policy-server.js';
import { makeFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { AtroposConsumer, type ConsumedItem } from './support/atropos-consumer.js';
import { AtroposServer } from './support/atropos-server.js';

const GROUPS = 200;
const GROUP_SIZE = 8;
const BATCH = 4 * GROUP_SIZE;
const RUN = 'served';
const LIMIT_MS = 900_000;
/** A fifth of the groups, whatever is started again meanwhile. */
const PART_LIMIT_MS = 240_000;

/** Right where its seed is even; a rollout is one call of the model, and of a tool. */
const policy: Policy = ({ seed }) => {
  const command = `echo ${seed % 2 === 0 ? 'apple' : 'plum'} > /app/answer`;
  return { content: 'I write it.', toolCalls: [{ name: 'terminal', arguments: { command } }] };
};

let folder: string;
let remove: () => Promise<void>;
let model: PolicyServer;
let server: AtroposServer;
let consumer: AtroposConsumer;
let store: ArtifactStore;
let command: LongrunCommand | null = null;
const stateDir = (): string => join(folder, 'state');

beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
  await writeTask(join(folder, 'tasks', 'apple'));
  store = await openStore(stateDir());
  model = await startPolicyServer({ policy, usualBias: 30 });
  server = await AtroposServer.start();
  consumer = new AtroposConsumer(server.url, { batchSize: BATCH, groupSize: GROUP_SIZE });
});
afterAll(async () => {
  command?.process.kill('SIGKILL');
  await consumer.stop();
  await server.kill();
  await stopServer(stateDir());
  await model.close();
  await remove();
});

async function writeTask(path: string): Promise<void> {
  const files = {
    'task.toml': 'version = "1.0"\n\n[environment]\nnetwork_mode = "no-network"\n',
    'instruction.md': 'Write apple into /app/answer.\n',
    'environment/Dockerfile': 'FROM debian:bookworm-slim\nWORKDIR /app\n',
    'tests/test.sh': answerTest('apple'),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
}

function serve(): void {
  command = startLongrun(
    stateDir(),
    ...['serve', join(folder, 'tasks'), '--run-id', RUN, '--atropos', server.url],
    ...['--model', 'demo', '--base-url', model.baseUrl, '--token-api', 'chat', '--sandbox', 'memory'],
    ...['--group-size', String(GROUP_SIZE), '--concurrency', '32', '--seed', '100'],
    ...['--max-batches-offpolicy', '3', '--max-tokens', '2000', '--max-turns', '1'],
  );
}

/** Items by the group that they are of. */
function consumed(): Map<string | null, ConsumedItem[]> {
  const groups = new Map<string | null, ConsumedItem[]>();
  for (const item of consumer.items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return groups;
}

async function deliveries(): Promise<Map<string, AtroposDelivery>> {
  const found = new Map<string, AtroposDelivery>();
  const feed = new AppendLog(store, feedEntrySchema, keys.feed(RUN));
  for (let n = 0; ; n++) {
    const entry = await feed.read(n);
    if (entry === null) return found;
    const key = keys.delivery(RUN, 'atropos', entry.taskId, entry.index);
    const delivery = await readRecord(store, atroposDeliverySchema, key);
    if (delivery !== null) found.set(groupId({ runId: RUN, ...entry }), delivery);
  }
}

/** Waits until this share of the first groups is at the consumer. */
async function arrived(share: number): Promise<void> {
  const wanted = share * GROUPS;
  const missing = () => {
    if (command?.process.exitCode != null) throw new Error(`longrun serve ended: ${command.output.stderr}`);
    const got = consumed();
    const first = Array.from({ length: wanted }, (_, index) =>
      groupId({ runId: RUN, taskId: 'apple', index }),
    );
    return first.filter((group) => !got.has(group));
  };
  await until(() => missing().length === 0, { limitMs: PART_LIMIT_MS }).catch(() => {
    const standing = `longrun serve says: ${command?.output.stderr}`;
    throw new Error(`of ${wanted} groups these have not arrived: ${missing().join(', ')}; ${standing}`);
  });
}

async function restartServer(): Promise<void> {
  await server.kill();
  await sleep(500);
  await server.up();
}

async function restartLongrun(): Promise<void> {
  command?.process.kill('SIGKILL');
  await command?.ended;
  serve();
}

it(
  'no group is lost when server and worker are killed again and again, and what comes twice is marked',
  async () => {
    serve();
    await arrived(0.2);
    await restartServer();
    await arrived(0.4);
    await restartLongrun();
    await arrived(0.6);
    await restartServer();
    await arrived(0.8);
    await restartLongrun();
    await arrived(1);
    await longrunJson(stateDir(), 'runs', 'cancel', RUN);
    await command?.ended;

    expect(consumer.items.filter(({ error }) => error !== null)).toEqual([]);
    const ledger = await deliveries();
    expect([...ledger.values()].filter(({ state }) => state === 'parked')).toEqual([]);
    // What the ledger calls confirmed has arrived; the rest of what was sent was at the server when the run ended.
    const got = consumed();
    for (const [group, { state }] of ledger) if (state === 'confirmed') expect(got.has(group)).toBe(true);
    const twice = [...got].filter(([, items]) => items.length > 1);
    for (const [group, items] of twice) {
      // A post that the network held back may come in after the one that was sent in its place.
      expect(items.filter(({ delivery }) => delivery?.resent !== true).length).toBeLessThan(2);
      expect(ledger.get(group as string)?.reason).toContain('sent again');
    }
    expect(twice.length).toBeLessThan(GROUPS / 4);
    expectAsSampled([...got.values()].flat());
  },
  LIMIT_MS,
);

/** Every sequence is one that the policy has sampled, and no rollout is in two groups. */
function expectAsSampled(items: readonly ConsumedItem[]): void {
  const sampled = new Set(model.ledger.entries.map(({ tokenIds }) => tokenIds.join(' ')));
  const groupOf = new Map<string, string | null>();
  for (const { group, rollouts, tokens } of items)
    for (const [i, rollout] of rollouts.entries()) {
      expect(groupOf.get(rollout) ?? group).toBe(group);
      groupOf.set(rollout, group);
      const ids = (tokens[i] ?? []).join(' ');
      expect([...sampled].some((answer) => ids.endsWith(answer))).toBe(true);
    }
}
