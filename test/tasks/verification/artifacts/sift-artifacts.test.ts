import { describe, expect, it } from 'vitest';
import { siftArtifacts } from '../../../../src/tasks/verification/artifacts/sift-artifacts.js';
import { siftInThread } from '../../../../src/tasks/verification/artifacts/sift-in-thread.js';
import { threat } from '../../../support/threat.js';
import { archiveOf, file, folder, hard, link, namesOf, sift, type Written } from './archives.js';

const APP = [folder('app'), file('app/answer')];

describe(threat('an agent that is root', 'what its tests read, at `separate`'), () => {
  it.each([
    ['a plain path', 'answer'],
    ['a path from the root', '/app/answer'],
    ['a folder and back', 'sub/../answer'],
    ['out of the folder and back', '../app/answer'],
    ['a name that is not there', 'sub/none'],
  ])('a link into the artifact by %s stays', async (_how, target) => {
    const { members, leftOut } = await sift({ '/app': [...APP, folder('app/sub'), link('app/l', target)] });
    expect(members).toContain(`app/l -> ${target}`);
    expect(leftOut).toEqual([]);
  });

  it.each([
    ['straight', [link('app/l', '/tests/expected')]],
    ['by folders above', [link('app/l', '../../tests/expected')]],
    ['by `..` behind a link to a folder', [link('app/usr', '/usr'), link('app/l', 'usr/../tests/expected')]],
    ['by `..` behind a link in /opt', [link('app/o', '/opt'), link('app/l', 'o/../tests/expected')]],
    ['by a chain', [link('app/a', 'b'), link('app/b', 'c'), link('app/c', '/tests/expected')]],
    ['by /proc', [link('app/l', '/proc/self/root/tests/expected')]],
    ['by a process of the tests', [link('app/l', '/proc/self/cwd/expected')]],
    ['by a descriptor', [link('app/l', '/dev/fd/3')]],
    ['back from where there is nothing, yet', [link('app/l', 'missing/../../tests/expected')]],
    ['back from a link to nothing', [link('app/a', '/usr/x'), link('app/l', 'a/../tests/expected')]],
    ['to itself', [link('app/l', 'l')]],
    ['in a circle', [link('app/l', 'm'), link('app/m', 'l')]],
    ['through a file', [link('app/l', 'answer/.')]],
    ['to a folder of the image', [link('app/l', '/usr')]],
  ])('a link that leads out %s is left out and named', async (_how, links) => {
    const { members, leftOut } = await sift({ '/app': [...APP, ...links] });
    expect(members).toEqual(['app', 'app/answer']);
    expect(leftOut).toHaveLength(links.length);
    expect(leftOut.join()).toContain('does not end inside the artifact');
  });

  it('two artifacts that point into each other lead nowhere else', async () => {
    const { members, leftOut } = await sift({
      '/app': [...APP, link('app/there', '/out/back')],
      '/out': [folder('out'), link('out/back', '/tests/expected'), link('out/more', '/app/there')],
    });
    expect(members).toEqual(['app', 'app/answer', 'out']);
    expect(leftOut).toHaveLength(3);
  });

  it('an artifact that is a link itself is left out', async () => {
    expect((await sift({ '/app/out': [link('out', '/tests')] })).members).toEqual([]);
  });

  it('follows as many links as the kernel does', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => link(`app/l${i}`, i === 0 ? 'answer' : `l${i - 1}`));
    const { members } = await sift({ '/app': [...APP, ...chain(45)] });
    expect(members).toContain('app/l39 -> l38');
    expect(members).not.toContain('app/l40 -> l39');
  });

  it.each<[string, Written[]]>([
    ['twice', [file('app/twice', 'one'), file('app/twice', 'two')]],
    ['as a file and a folder', [file('app/twice'), folder('app/twice')]],
    ['below a file', [file('app/twice'), file('app/twice/below')]],
    ['below a link', [folder('app/real'), link('app/twice', 'real'), file('app/twice/below')]],
    ['as a link and a folder', [link('app/twice', 'answer'), folder('app/twice'), file('app/twice/below')]],
  ])('no member is reached by two ways: one that is there %s', async (_how, twice) => {
    const { members, leftOut } = await sift({ '/app': [...APP, ...twice] });
    expect(members.filter((name) => name.startsWith('app/twice'))).toHaveLength(1);
    expect(leftOut.join()).toContain('something else is in its place');
  });

  it('an artifact cannot be written through a link of another one, whichever comes first', async () => {
    const link1 = { '/app': [folder('app'), link('app/out', '/tests')] };
    const below = { '/app/out/x': [folder('x'), file('x/expected')] };
    for (const artifacts of [
      { ...link1, ...below },
      { ...below, ...link1 },
    ])
      expect((await sift(artifacts)).members.filter((name) => name.includes('tests'))).toEqual([]);
  });

  it.each<[string, Written]>([
    ['a device', { name: 'app/null', type: 'character-device' }],
    ['a block device', { name: 'app/sda', type: 'block-device' }],
    ['a named pipe', { name: 'app/pipe', type: 'fifo' }],
    ['a hard link out of it', hard('app/hard', '../etc/shadow')],
    ['a hard link to an absolute path', hard('app/hard', '/etc/shadow')],
    ['a hard link to a link', hard('app/hard', 'app/none')],
    ['a path that climbs out', file('../tests/test.sh')],
    ['a path that climbs out from within', file('app/../../tests/test.sh')],
    ['an absolute path', file('/tests/test.sh')],
    ['a path beside it', file('apple/answer')],
    ['a name that is no UTF-8', file('app/\uFFFD')],
    ['a path that no system call takes', file(`app/${'d/'.repeat(2_500)}f`)],
    ['folders in one another without an end', file(`app/${'d/'.repeat(300)}f`)],
  ])('%s is left out', async (_what, member) => {
    expect((await sift({ '/app': [...APP, member] })).members).toEqual(['app', 'app/answer']);
  });

  it('what a pax header says is what counts, and it does not arrive', async () => {
    const pax = { path: '../tests/test.sh', 'GNU.sparse.name': '/tests/test.sh', 'SCHILY.xattr.user.a': 'b' };
    const { members } = await sift({ '/app': [...APP, { name: 'app/innocent', pax, data: 'x' }] });
    expect(members).toEqual(['app', 'app/answer']);
  });

  it('names that differ by case, form or a newline stay what they are', async () => {
    const names = ['a', 'A', 'é', 'e\u0301', 'a\nb', 'a\u001b]0;x\u0007', ' ', '-rf', '..a', '*'];
    const { members, leftOut } = await sift({
      '/app': [...APP, ...names.map((name) => file(`app/${name}`))],
    });
    expect(members).toEqual(['app', 'app/answer', ...names.map((name) => `app/${name}`)].sort());
    expect(leftOut).toEqual([]);
  });

  it('set-user-id bits are gone', async () => {
    const tar = await archiveOf([...APP, { name: 'app/su', mode: 0o6755, data: 'x' }]);
    const sifted = await siftArtifacts({
      archives: [{ source: '/app', exclude: [], tar }],
      programs: new Map(),
    });
    expect(Buffer.from(sifted.tar).toString('latin1')).not.toContain('6755');
  });

  it('a hard link to what is excluded is the file, and to what is not stays a link', async () => {
    const members = [
      ...APP,
      file('app/big.log', 'words'),
      hard('app/kept', 'app/big.log'),
      hard('app/b', 'app/answer'),
    ];
    expect((await sift({ '/app': members }, ['*.log'])).members).toEqual([
      'app',
      'app/answer',
      'app/b = app/answer',
      'app/kept',
    ]);
  });

  it('an excluded folder is excluded with what is in it', async () => {
    const members = [
      ...APP,
      folder('app/node_modules'),
      folder('app/node_modules/x'),
      file('app/node_modules/x/y'),
    ];
    expect((await sift({ '/app': members }, ['node_modules'])).members).toEqual(['app', 'app/answer']);
  });

  it('artifacts that lie in one another are no matter of suspicion', async () => {
    const { members, leftOut } = await sift({
      '/app': [...APP, folder('app/out'), file('app/out/x'), link('app/out/l', 'x')],
      '/app/out': [folder('out'), file('out/x'), link('out/l', 'x')],
    });
    expect(members).toEqual(['app', 'app/answer', 'app/out', 'app/out/l -> x', 'app/out/x']);
    expect(leftOut).toEqual([]);
  });

  it('the interpreter of a virtual environment arrives as the agent had it', async () => {
    const tar = await archiveOf([
      folder('app'),
      folder('app/bin'),
      link('app/bin/python', 'python3'),
      link('app/bin/python3', '/usr/bin/python3'),
      link('app/bin/python3.11', '/usr/bin/python3'),
      link('app/bin/gone', '/usr/bin/gone'),
    ]);
    const archives = [{ source: '/app', exclude: [], tar }];
    const first = await siftArtifacts({ archives, programs: new Map() });
    expect(first.wanted).toEqual(['/usr/bin/python3', '/usr/bin/gone']);
    const programs = new Map([
      ['/usr/bin/python3', { content: Buffer.from('a program'), mode: 0o755 }],
      ['/usr/bin/gone', null],
    ]);
    const second = await siftArtifacts({ archives, programs });
    expect(await namesOf(second.tar)).toEqual([
      'app',
      'app/bin',
      'app/bin/python -> python3',
      'app/bin/python3',
      'app/bin/python3.11 = app/bin/python3',
    ]);
    expect(second.links).toEqual([{ path: 'app/bin/gone', target: '/usr/bin/gone' }]);
  });
});

describe(threat('an agent that is root', 'the process that verifies it'), { timeout: 120_000 }, () => {
  const request = async (members: readonly Written[]) => ({
    archives: [{ source: '/app', exclude: [], tar: await archiveOf([folder('app'), ...members]) }],
    programs: new Map(),
  });
  const many = (count: number, member: (i: number) => Written) =>
    Array.from({ length: count }, (_, i) => member(i));

  it('100,000 links are gone through, and the process goes on meanwhile', async () => {
    const asked = await request(
      many(100_000, (i) => link(`app/l${i}`, i % 2 === 0 ? '/tests' : `l${i - 1}`)),
    );
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    const { leftOut } = await siftInThread(asked);
    clearInterval(timer);
    expect(leftOut.at(-1)).toBe(`left out ${100_000 - 64 - 20} more`);
    expect(turns).toBeGreaterThan(20);
  });

  it('links that take for ever to follow cost the artifacts', async () => {
    const deep = `${'./'.repeat(2_000)}answer`;
    const { leftOut, tar } = await siftInThread(
      await request([file('app/answer'), ...many(20_000, (i) => link(`app/l${i}`, deep))]),
    );
    expect(leftOut).toEqual(['left out /: the links of the artifacts take too long to follow']);
    expect(await namesOf(tar)).toEqual([]);
  });

  it('more members than may be cost the artifact', async () => {
    const { leftOut, tar } = await siftInThread(await request(many(200_001, (i) => folder(`app/${i}`))));
    expect(leftOut).toEqual(['left out /app: the artifacts have more than 200000 members']);
    expect(await namesOf(tar)).toEqual([]);
  });

  it('what takes longer than it may is ended, and counts as nothing', async () => {
    const asked = await request(many(100_000, (i) => file(`app/${i}`)));
    expect(await siftInThread(asked, 5)).toMatchObject({
      leftOut: ['left out all artifacts: they take more than 0.005 s'],
    });
  });

  it.each([
    ['is no tar', Buffer.alloc(4_096, 'nonsense')],
    [
      'says that it holds more than it does',
      async () => (await archiveOf([file('app', 'x'.repeat(10_000))])).subarray(0, 2_048),
    ],
    ['has a size below zero', async () => withSize(await archiveOf([file('app')]), '\xff'.repeat(12))],
    [
      'has a size beyond all',
      async () => withSize(await archiveOf([file('app')]), `\x80${'\x7f'.repeat(11)}`),
    ],
  ])('an archive that %s counts as nothing', async (_how, make) => {
    const tar = typeof make === 'function' ? await make() : make;
    const archives = [{ source: '/app', exclude: [], tar }];
    const sifted = await siftInThread({ archives, programs: new Map() }, 10_000);
    expect(await namesOf(sifted.tar)).toEqual([]);
    expect(sifted.leftOut).toHaveLength(1);
  });
});

/** The first header with another size, and a checksum that fits. */
function withSize(tar: Uint8Array, size: string): Uint8Array {
  const bytes = Buffer.from(tar);
  bytes.write(size, 124, 'latin1');
  bytes.fill(' ', 148, 156);
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
