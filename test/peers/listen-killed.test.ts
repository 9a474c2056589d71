import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../src/machine/ports.js';
import type { Policy, PolicyServer } from '../../src/model/policy-server/index.js';
import { readRepeats } from '../../src/sinks/listen/index.js';
import { openStore } from '../../src/store/index.js';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { type LongrunCommand, startLongrun } from '../chaos/support/longrun-command.js';
import type { Batch, Item } from '../sinks/listen/support/listening.js';
import { registration } from '../sinks/listen/support/listening.js';
import { answerTest } from '../support/inline-task.js';
import { startPolicyServer } from '../support/policy-server.js';
import { makeFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { AtroposConsumer } from './support/atropos-consumer.js';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 60_000 });

const GROUPS = 24;
const GROUP_SIZE = 4;
const BATCH = 16;

/** Right where its seed is even. */
const policy: Policy = ({ seed, turn }) => {
  const command = `echo ${seed % 2 === 0 ? 'apple' : 'plum'} > /app/answer`;
  const calls = [{ name: 'terminal', arguments: { command } }];
  return turn === 0 ? { content: 'I write it.', toolCalls: calls } : { content: 'Done.' };
};

describe('longrun serve --listen, killed twice', () => {
  let folder: string;
  let remove: () => Promise<void>;
  let model: PolicyServer;
  beforeAll(async () => {
    ({ folder, remove } = await makeFolder());
    for (const word of ['apple', 'plum']) await writeTask(`${folder}/tasks/${word}`, word);
    model = await startPolicyServer({ policy, usualBias: 0 });
  });
  afterAll(async () => {
    for (const runId of ['plain', 'acked']) await stopServer(`${folder}/${runId}`);
    await model.close();
    await remove();
  });

  /** Serves on a port until it is done; killed whenever so many groups have arrived. */
  async function serve(runId: string, arrived: () => number) {
    const stateDir = `${folder}/${runId}`;
    const port = await freePort();
    const argv = [
      ...['serve', `${folder}/tasks`, '--run-id', runId, '--model', 'demo', '--base-url', model.baseUrl],
      ...['--token-api', 'chat', '--sandbox', 'memory', '--max-tokens', '2000', '--seed', '100'],
      ...['--groups', String(GROUPS), '--group-size', String(GROUP_SIZE), '--keep-zero-variance'],
      // The tokenizer of the scripted model has a token for each byte.
      ...['--listen', `127.0.0.1:${port}`, '--max-token-length', '100000'],
    ];
    let command: LongrunCommand = startLongrun(stateDir, ...argv);
    onTestFinished(async () => {
      command.process.kill('SIGKILL');
      await command.ended;
    });
    const goOn = async () => {
      for (const share of [0.2, 0.6]) {
        await until(() => arrived() >= share * GROUPS, { what: `${share} of the groups`, limitMs: 150_000 });
        command.process.kill('SIGKILL');
        await command.ended;
        command = startLongrun(stateDir, 'runs', 'resume', runId);
      }
      expect(await command.ended, command.output.stderr).toBe(0);
      return readRepeats(await openStore(stateDir), runId);
    };
    return { url: `http://127.0.0.1:${port}`, done: goOn };
  }

  const expected = (runId: string) =>
    ['apple', 'plum'].flatMap((task) =>
      Array.from({ length: GROUPS / 2 }, (_, index) => `${runId}/${task}/${index}`),
    );

  it('loses no group for a trainer of Atropos, and marks and lists each that comes again', async () => {
    let consumer: AtroposConsumer | null = null;
    const { url, done } = await serve('plain', () => new Set(consumer?.items.map(({ group }) => group)).size);
    consumer = new AtroposConsumer(url, { batchSize: BATCH, groupSize: GROUP_SIZE });
    onTestFinished(() => consumer?.stop());
    const repeats = await done();
    const { items } = consumer;
    expect(items.filter(({ error }) => error !== null)).toEqual([]);
    expect([...new Set(items.map(({ group }) => group))].sort()).toEqual(expected('plain').sort());
    const seen = new Set<string>();
    for (const { group, item, delivery } of items) {
      if (seen.has(`${group} ${item}`)) {
        expect(Number(delivery?.n)).toBeGreaterThan(1);
        expect(repeats.flatMap(({ groups }) => groups)).toContain(group);
      }
      seen.add(`${group} ${item}`);
    }
  });

  it('gives a trainer that acknowledges each group exactly once', async () => {
    const got: Item['group_overrides'][] = [];
    const { url, done } = await serve('acked', () => new Set(got.map(({ group_id }) => group_id)).size);
    const trainer = new AbortController();
    const training = train(url, trainer.signal, (items) => {
      got.push(...items.map(({ group_overrides }) => group_overrides));
    });
    const repeats = await done();
    trainer.abort();
    await training;
    // A group whose rollouts have several training sequences is as many items.
    const items = got.map(({ group_id, item }) => `${group_id} ${item}`);
    expect(new Set(items).size).toBe(items.length);
    expect([...new Set(got.map(({ group_id }) => group_id))].sort()).toEqual(expected('acked').sort());
    // What was handed out again had not arrived.
    for (const { batch } of repeats)
      expect(got.filter(({ delivery }) => delivery.batch === batch)).toHaveLength(4);
  });
});

async function writeTask(path: string, word: string): Promise<void> {
  const files = {
    'task.toml': 'version = "1.0"\n\n[environment]\nnetwork_mode = "no-network"\n',
    'instruction.md': `Write ${word} into /app/answer.\n`,
    'environment/Dockerfile': 'FROM debian:bookworm-slim\nWORKDIR /app\n',
    'tests/test.sh': answerTest(word),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
}

/** Registers once, and says with each question which batch it has. */
async function train(url: string, signal: AbortSignal, take: (items: Item[]) => void): Promise<void> {
  let registered = false;
  for (let has = 0; !signal.aborted; await new Promise((resolve) => setTimeout(resolve, 30))) {
    try {
      if (!registered) {
        const body = JSON.stringify(registration(BATCH, { max_token_len: 4096, num_steps: 1_000_000 }));
        registered = (await fetch(`${url}/register`, { method: 'POST', body })).ok;
      }
      const { batch, batch_id } = (await (await fetch(`${url}/batch?ack=${has}`)).json()) as Batch;
      if (batch == null || batch.length === 0 || batch_id === undefined) continue;
      take(batch);
      has = batch_id;
    } catch {
      // Away for the moment.
    }
  }
}
