import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Item, Listening, listeningRun } from '../sinks/listen/support/listening.js';
import { missingPeers, runPeer } from './support/python.js';

vi.setConfig({ testTimeout: 120_000 });
if (missingPeers() !== null) throw new Error(missingPeers() ?? '');

const RECORDED = new URL('../sinks/listen/fixtures/atropos-transcript.json', import.meta.url);

describe('our trainer API beside the real Atropos', () => {
  it('is held to what the real server answers today', async () => {
    const { exitCode, stdout, stderr } = await runPeer('record_atropos_transcript.py');
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(await readFile(RECORDED, 'utf8')));
  });

  it('takes what an environment posts with the client of atroposlib', async () => {
    const listening = await Listening.start(await listeningRun({ groupSize: 4 }));
    await listening.register(8);
    await listening.batch();
    const { exitCode, stdout, stderr } = await runPeer('atropos_environment.py', [listening.url, '6']);
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      env_id: 0,
      name: 'theirs_0',
      batch_size: 8,
      status: {
        ...{ current_step: 0, queue_size: 6, self_queue_size: 6, max_group_size: 4 },
        ...{ unallocated_fraction: 1, env_weight: 1 },
      },
    });
    const items: Item[] = [];
    for (let ack = 0; ack < 3; ack++) items.push(...((await listening.batch(ack)).batch ?? []));
    expect(items.map(({ group_overrides }) => group_overrides.group_id)).toEqual(
      Array.from({ length: 6 }, (_, i) => `theirs-${i}`),
    );
    expect(items[5]?.inference_logprobs?.[3]?.slice(-2)).toEqual([-0.5, -0.25]);
  });
});
