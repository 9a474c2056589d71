import { expect, it } from 'vitest';
import type { ArtifactStore } from '../../src/store/index.js';
import { bytes, text } from './temp-store.js';

/** What every driver has to do; each is run through all of it. `open` gives an empty store. */
export function storeConformance(open: () => Promise<ArtifactStore>): void {
  valuesConformance(open);
  writersConformance(open);
  childrenConformance(open);
  removeConformance(open);
}

function valuesConformance(open: () => Promise<ArtifactStore>): void {
  it('gives values back as they were put, binary and empty ones too', async () => {
    const store = await open();
    const binary = Uint8Array.from({ length: 256 }, (_, i) => i);
    await store.put('runs/a/blob', binary);
    await store.put('runs/a/empty', new Uint8Array());
    expect(Uint8Array.from((await store.get('runs/a/blob')) as Uint8Array)).toEqual(binary);
    expect((await store.get('runs/a/empty'))?.length).toBe(0);
  });

  it('answers null where nothing was put, and where the key is a folder or lies below a value', async () => {
    const store = await open();
    await store.put('runs/a/run.json', bytes('{}'));
    for (const key of ['nothing', 'runs/a', 'runs/a/run.json/below']) expect(await store.get(key)).toBeNull();
  });

  it('says whether a key has a value, an empty one too, without the value', async () => {
    const store = await open();
    await store.put('runs/a/run.json', bytes('{}'));
    await store.put('runs/a/empty', new Uint8Array());
    await store.put('runs/a/removed', bytes('x'));
    await store.remove('runs/a/removed');
    for (const key of ['runs/a/run.json', 'runs/a/empty']) expect(await store.has(key)).toBe(true);
    for (const key of ['nothing', 'runs/a', 'runs/a/run.json/below', 'runs/a/removed'])
      expect(await store.has(key)).toBe(false);
  });

  it('lets put replace and putIfAbsent keep, large values too', async () => {
    const store = await open();
    const large = 'x'.repeat(3 * 1024 * 1024);
    for (const [key, first] of [
      ['k', 'first'],
      ['empty', ''],
      ['large', large],
    ] as const) {
      expect(await store.putIfAbsent(key, bytes(first))).toBe(true);
      expect(await store.putIfAbsent(key, bytes(first))).toBe(false);
      expect(await store.putIfAbsent(key, bytes(`${first} second`))).toBe(false);
      expect(text(await store.get(key))).toBe(first);
      await store.put(key, bytes('third'), 'process');
      expect(text(await store.get(key))).toBe('third');
    }
  });

  it('takes 50 MB', async () => {
    const store = await open();
    const value = Buffer.alloc(50 * 1024 * 1024);
    for (let at = 0; at < value.length; at += 4) value.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
    expect(await store.putIfAbsent('blobs/large', value)).toBe(true);
    expect(value.equals((await store.get('blobs/large')) as Uint8Array)).toBe(true);
  });

  it('takes odd keys, and lists them as they are', async () => {
    const store = await open();
    const names = [
      'a b',
      'a+b',
      'a%20b',
      '100%',
      'a&b=c',
      'a?b#c',
      "it's",
      '"quoted"',
      '<x>',
      'naïve-ü-日本-🦆',
      'a:b@c$d,e;f',
      '~x!*()',
      'line\nbreak',
      'x'.repeat(200),
    ];
    for (const name of names) expect(await store.putIfAbsent(`odd/${name}/${name}`, bytes(name))).toBe(true);
    expect(await store.children('odd')).toEqual([...names].sort());
    for (const name of names) {
      expect(text(await store.get(`odd/${name}/${name}`))).toBe(name);
      expect(await store.children(`odd/${name}`)).toEqual([name]);
    }
    await store.remove('odd/');
    expect(await store.children('odd')).toEqual([]);
  });

  it.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../b',
    'a//b',
    'a/',
    './a',
    'a/.hidden',
    '.tmp/x',
    'a\0b',
    'a\\b',
    'x'.repeat(201),
  ])('refuses keys that could leave it: %j', async (key) => {
    const store = await open();
    await expect(store.get(key)).rejects.toMatchObject({ code: 'bad_input' });
    await expect(store.put(key, bytes(''))).rejects.toMatchObject({ code: 'bad_input' });
    await expect(store.putIfAbsent(key, bytes(''))).rejects.toMatchObject({ code: 'bad_input' });
  });
}

function writersConformance(open: () => Promise<ArtifactStore>): void {
  it('has one winner among many writers of a key, and everybody reads its value whole', async () => {
    const store = await open();
    for (let round = 0; round < 5; round++) {
      const values = Array.from({ length: 40 }, (_, i) => String(i).padStart(3, '0').repeat(20_000));
      const key = `deep/er/key-${round}`;
      const won = await Promise.all(values.map((value) => store.putIfAbsent(key, bytes(value))));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(text(await store.get(key))).toBe(values[won.indexOf(true)]);
    }
  });

  it('has one winner among writers of the same bytes, too', async () => {
    const store = await open();
    const won = await Promise.all(Array.from({ length: 20 }, () => store.putIfAbsent('same', bytes('same'))));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('never shows a reader half of a value', async () => {
    const store = await open();
    const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(300_000));
    await store.put('k', bytes(versions[0] as string));
    let writing = true;
    const writer = (async () => {
      for (let i = 0; i < 30; i++) await store.put('k', bytes(versions[i % 3] as string));
      writing = false;
    })();
    while (writing) expect(versions).toContain(text(await store.get('k')));
    await writer;
  });

  it('shows every write to whoever reads or lists after it', async () => {
    const store = await open();
    for (let i = 0; i < 30; i++) {
      await store.putIfAbsent(`f/${i}`, bytes(String(i)));
      expect(await store.children('f')).toHaveLength(i + 1);
      expect(text(await store.get(`f/${i}`))).toBe(String(i));
    }
  });
}

function childrenConformance(open: () => Promise<ArtifactStore>): void {
  it('lists direct children, sorted, files and folders alike', async () => {
    const store = await open();
    for (const key of ['p/b/deep', 'p/a.json', 'p/c/x/y', 'p/ö', 'p/Z', 'p/10', 'p/9', 'q', 'pp/x'])
      await store.put(key, bytes(''));
    expect(await store.children('p')).toEqual(['10', '9', 'Z', 'a.json', 'b', 'c', 'ö']);
    expect(await store.children('missing')).toEqual([]);
    expect(await store.children('q')).toEqual([]);
  });

  it('lists thousands of children, folders among them', async () => {
    const store = await open();
    const names = Array.from({ length: 2_500 }, (_, i) => `n-${i}`);
    for (let at = 0; at < names.length; at += 50) {
      const some = names.slice(at, at + 50);
      await Promise.all(
        some.map((name, i) => store.put(i % 5 ? `p/${name}` : `p/${name}/x`, bytes('x'), 'process')),
      );
    }
    expect(await store.children('p')).toEqual([...names].sort());
    await store.remove('p/');
    expect(await store.children('p')).toEqual([]);
  }, 60_000);

  it('never lists what it is only writing', async () => {
    const store = await open();
    const writes = Promise.all(
      Array.from({ length: 50 }, (_, i) => store.put(`p/${i}`, bytes('x'.repeat(9_000)))),
    );
    for (let i = 0; i < 50; i++) {
      for (const name of await store.children('p')) expect(name).toMatch(/^\d+$/);
    }
    await writes;
  });
}

function removeConformance(open: () => Promise<ArtifactStore>): void {
  it('removes a key, or everything under a prefix that ends in a slash, and nothing else', async () => {
    const store = await open();
    for (const key of ['r/a/1', 'r/a/2', 'r/ab', 'r/b']) await store.put(key, bytes('x'));
    await store.remove('r/b');
    await store.remove('r/a/');
    expect(await store.children('r')).toEqual(['ab']);
    expect(await store.putIfAbsent('r/b', bytes('again'))).toBe(true);
  });

  it('does nothing when it is to remove what is not there', async () => {
    const store = await open();
    await store.remove('none');
    await store.remove('none/');
  });
}
