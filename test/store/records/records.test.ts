import { describe, expect, it } from 'vitest';
import { loadBlob, putBlob } from '../../../src/store/blobs.js';
import { raiseIncarnation, readIncarnation } from '../../../src/store/incarnation.js';
import { clusterId } from '../../../src/store/installation.js';
import { keys } from '../../../src/store/keys.js';
import {
  putRecordIfAbsent,
  readChildren,
  readRecord,
  writeRecord,
} from '../../../src/store/records/records.js';
import { rolloutResultSchema } from '../../../src/store/records/records.schema.js';
import { attemptKey, result } from '../fixtures.js';
import { bytes, tempStore } from '../temp-store.js';

const key = keys.result(attemptKey);

describe('a record', () => {
  it('is read as it was written, null where there is none', async () => {
    const store = await tempStore();
    expect(await readRecord(store, rolloutResultSchema, key)).toBeNull();
    await writeRecord(store, rolloutResultSchema, key, result());
    expect(await readRecord(store, rolloutResultSchema, key)).toEqual(result());
  });

  it('that lost the race gives way to the stored one', async () => {
    const store = await tempStore();
    const first = await putRecordIfAbsent(store, rolloutResultSchema, key, result({ reward: 1 }));
    const second = await putRecordIfAbsent(store, rolloutResultSchema, key, result({ reward: 0 }));
    expect([first.won, second.won]).toEqual([true, false]);
    expect(second.value).toEqual(first.value);
  });

  it('that somebody damaged is named by its place on disk', async () => {
    const store = await tempStore();
    await store.put(key, bytes('{"schema_version": 1, "reward": "high"}'));
    await expect(readRecord(store, rolloutResultSchema, key)).rejects.toMatchObject({
      code: 'record_invalid',
      message: expect.stringContaining(store.locate(key)),
    });
  });

  it('is found among the children of a prefix, as a file or in a folder of its own', async () => {
    const store = await tempStore();
    for (const sample of [0, 1]) {
      await writeRecord(store, rolloutResultSchema, `files/${sample}.json`, result({ sample }));
      await writeRecord(store, rolloutResultSchema, `folders/${sample}/result.json`, result({ sample }));
    }
    await store.put('folders/2/other.json', bytes('{}'));
    const files = await readChildren(store, rolloutResultSchema, 'files');
    const folders = await readChildren(store, rolloutResultSchema, 'folders', 'result.json');
    expect(files.map((file) => file.name)).toEqual(['0.json', '1.json']);
    expect(folders.map((folder) => [folder.name, folder.value.sample])).toEqual([
      ['0', 0],
      ['1', 1],
    ]);
  });
});

describe('a blob', () => {
  it('is stored once under its digest and checked when it is read', async () => {
    const store = await tempStore();
    const ref = await putBlob(store, bytes('content'));
    expect(await putBlob(store, bytes('content'))).toEqual(ref);
    expect(await loadBlob(store, ref)).toEqual(await store.get(keys.blob(ref.sha256)));

    await store.put(keys.blob(ref.sha256), bytes('changed'));
    await expect(loadBlob(store, ref)).rejects.toMatchObject({ code: 'record_invalid' });
    await store.remove(keys.blob(ref.sha256));
    await expect(loadBlob(store, ref)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('an installation', () => {
  it('has one id, whoever asks first', async () => {
    const store = await tempStore();
    let made = 0;
    const ids = await Promise.all(Array.from({ length: 10 }, () => clusterId(store, () => `id-${++made}`)));
    expect(new Set(ids).size).toBe(1);
  });
});

describe('incarnations of a run', () => {
  it('start at 1 and are each raised by one caller only', async () => {
    const store = await tempStore();
    expect(await readIncarnation(store, 'r')).toBe(1);
    const raised = await Promise.allSettled([1, 2, 3].map(() => raiseIncarnation(store, 'r', () => 5)));
    expect(raised.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    expect(await readIncarnation(store, 'r')).toBe(2);
    expect(await raiseIncarnation(store, 'r', () => 6)).toBe(3);
  });
});
