import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/store/index.js';
import { rowFormat } from '../../../src/trajectories/row-formats.js';
import { tempStateDir, tempStore } from '../../store/temp-store.js';
import { startChild } from '../../support/child.js';
import { temporaryFolder } from '../../support/state.js';
import { close, endedRun, outputOf, written } from './finished-run.js';
import { contentOf, rowsOf } from './folder.js';

const LEDGER = 'ledger.jsonl';

/** What a crash between entry `entry` and the next may leave: files that are longer, the ledger torn. */
function crashed(folder: string, whole: Record<string, string>, entry: number, beyond: number[]): void {
  const lines = (whole[LEDGER] ?? '').split('\n').slice(0, -1);
  const bytes: Record<string, number> = {};
  for (const line of lines.slice(1, entry + 1)) Object.assign(bytes, JSON.parse(line).bytes);
  const next = lines[entry + 1] ?? '';
  for (const [i, [name, text]] of Object.entries(whole).entries()) {
    const more = beyond[i % beyond.length] ?? 0;
    const length = (bytes[name] ?? 0) + more;
    const kept = Buffer.from(text).subarray(0, name.includes('/') ? undefined : length);
    const known = name === LEDGER ? `${lines.slice(0, entry + 1).join('\n')}\n${next.slice(0, more)}` : kept;
    if (known.length === 0 || name === 'manifest.json' || name === 'statistics.json') continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), known);
  }
}

it('goes on from any point of a crash: nothing is lost, doubled or half', { timeout: 60_000 }, async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 4);
  await close(store, 0, 1, 2, 3);
  await written(store, join(folder, 'whole'));
  const whole = contentOf(join(folder, 'whole'));
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 3, maxLength: 12 }),
      async (entry, beyond) => {
        n += 1;
        const again = join(folder, `again-${n}`);
        crashed(again, whole, entry, beyond);
        await written(store, again);
        expect(contentOf(again)).toEqual(whole);
      },
    ),
    { numRuns: 10 },
  );
});

it('killed again and again, it ends with the same folder', { timeout: 60_000 }, async () => {
  const [stateDir, folder] = [await tempStateDir(), await temporaryFolder()];
  const store = await openStore(stateDir);
  await endedRun(store, 6);
  await close(store, 0, 1, 2, 3, 4, 5);
  await written(store, join(folder, 'whole'));
  const again = join(folder, 'again');
  const seed = Date.now() % 100_000;
  console.log(`kills of seed ${seed}`);
  for (let kills = 0; kills < 3; kills++) {
    const child = startChild(new URL('./writer.child.ts', import.meta.url), [
      stateDir,
      again,
      String(seed + kills),
    ]);
    expect(await child.line()).toBe('writing');
    expect(await child.ended).toBe('SIGKILL');
  }
  await written(store, again);
  expect(contentOf(again)).toEqual(contentOf(join(folder, 'whole')));
});

it('does nothing again where all is written', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 1);
  await close(store, 0);
  await written(store, folder);
  const before = contentOf(folder);
  await written(store, folder);
  expect(contentOf(folder)).toEqual(before);
});

it('refuses a folder of another run, of other options, of other files, and one that was changed', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 1);
  await close(store, 0);
  await written(store, folder);
  await expect(outputOf(store, folder, { keepZeroVariance: true })).rejects.toThrow(
    'was begun with other options: keep_zero_variance was false, now true',
  );
  await expect(outputOf(store, folder, { filters: ['min-turns=2'] })).rejects.toMatchObject({
    code: 'already_exists',
    exitCode: 2,
  });
  const ledger = readFileSync(join(folder, LEDGER), 'utf8');
  writeFileSync(join(folder, LEDGER), ledger.replace('"run_id":"run"', '"run_id":"other"'));
  await expect(outputOf(store, folder)).rejects.toThrow('is the output of run other, and this is run run');
  writeFileSync(join(folder, LEDGER), ledger);
  writeFileSync(join(folder, 'groups.jsonl'), '');
  await expect(outputOf(store, folder)).rejects.toThrow('it was changed since');
  const foreign = await temporaryFolder();
  writeFileSync(join(foreign, 'sharegpt.jsonl'), 'mine\n');
  await expect(outputOf(store, foreign)).rejects.toThrow('sharegpt.jsonl exists already');
  expect(readFileSync(join(foreign, 'sharegpt.jsonl'), 'utf8')).toBe('mine\n');
});

it('is written anew when forced, from what the store has', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 1);
  await close(store, 0);
  await written(store, folder);
  const formats = [rowFormat('messages')];
  await written(store, folder, { formats, force: true });
  expect(rowsOf(folder, 'messages.jsonl')).toHaveLength(2);
  expect(rowsOf(folder, 'longrun.jsonl')).toEqual([]);
  expect(rowsOf(folder, 'groups.jsonl')).toHaveLength(1);
});
