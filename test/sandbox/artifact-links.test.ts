import { describe, expect, it } from 'vitest';
import { collectArtifacts } from '../../src/tasks/verification/artifacts/collect-artifacts.js';
import { threat } from '../support/threat.js';
import { act } from '../tasks/support/scoring.js';
import { namesOf } from '../tasks/verification/artifacts/archives.js';
import { dockerKit } from './docker/kit.js';

const kit = dockerKit();
const SEEDS = [1, 2, 3, 4, 5, 7, 9];
const ENTRIES = 60;

/** Numbers that look random and are the same each time (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Commands that fill two artifacts with folders, files and links, through each other and out. */
function hostileTree(seed: number): string {
  const pick = numbers(seed);
  const one = <T>(of: readonly T[]): T => of[pick(of.length)] as T;
  const roots = [`/c${seed}/a`, `/c${seed}/b`];
  const folders = [...roots];
  const names: string[] = [];
  const lines = [`mkdir -p ${roots.join(' ')}`];
  const STEPS = [
    '..',
    '.',
    '../..',
    'x1',
    'X1',
    'x2',
    '/usr',
    '/opt',
    '/',
    '/proc/self/root',
    '/proc/self/cwd',
    ...roots,
  ];
  for (let i = 0; i < ENTRIES; i += 1) {
    const path = `${one(folders)}/${one(['x', 'X', 'é', 'e\u0301'])}${pick(20)}`;
    const kind = pick(5);
    if (kind === 0) {
      lines.push(`mkdir '${path}'`);
      folders.push(path);
    } else if (kind === 1) lines.push(`echo ${i} > '${path}'`);
    else {
      const steps = Array.from({ length: 1 + pick(4) }, () =>
        pick(3) === 0 ? one(STEPS) : names.length > 0 ? one(names) : 'x3',
      );
      const target = steps.map((step, at) => (at === 0 ? step : step.replace(/^\/+/, ''))).join('/') || '/';
      lines.push(`ln -s '${target}' '${path}'`);
    }
    names.push(path.slice(path.lastIndexOf('/') + 1), path);
  }
  return `{ ${lines.join('\n')}\n} 2> /dev/null; true`;
}

describe(threat('an agent that is root', 'what its tests read, at `separate`'), () => {
  it.each(SEEDS)(
    'the links that stay are those that the kernel follows to a member of their artifact (seed %i)',
    async (seed) => {
      const sandbox = await kit.shared();
      await act(sandbox, hostileTree(seed), 'root');
      const roots = ['a', 'b'].map((name) => `/c${seed}/${name}`);
      const { tar } = await collectArtifacts(
        sandbox,
        roots.map((source) => ({ source, destination: '.', exclude: [] })),
      );
      const kept = (await namesOf(tar)).flatMap((name) =>
        name.includes(' -> ') ? [`/${name.split(' -> ')[0]}`] : [],
      );
      // Device and inode are the kernel's own answer to where a path ends.
      const look = `for root in ${roots.join(' ')}; do
find $root ! -type l -exec stat -c '%d:%i' {} + | sort -u > /tmp/members
find $root -type l -exec sh -c 'for l; do at=$(stat -L -c %d:%i "$l" 2> /dev/null) && grep -qxF "$at" /tmp/members && echo "$l"; done' sh {} +
done`;
      const answers = (await act(sandbox, look, 'root')).split('\n').filter((line) => line !== '');
      expect(answers.length).toBeGreaterThan(0);
      // A kept link that the kernel cannot follow, because nothing is there, names a place in its artifact.
      const dangling = kept.filter((path) => !answers.includes(path));
      const quoted = dangling.map((path) => `'${path}'`).join(' ');
      const places = dangling.length === 0 ? '' : await act(sandbox, `realpath -m ${quoted}`, 'root');
      const found = places.split('\n').slice(0, -1);
      expect(found).toHaveLength(dangling.length);
      for (const [i, place] of found.entries())
        expect(place.startsWith(`${dangling[i]?.slice(0, `/c${seed}/a`.length)}/`), place).toBe(true);
      // What the kernel follows as well leads out and back, or through a link that does and was left out.
      const all = await act(sandbox, `find ${roots.join(' ')} -type l -printf '%p %l\\n'`, 'root');
      const targets = new Map(
        all
          .trim()
          .split('\n')
          .map((line) => line.split(' ') as [string, string]),
      );
      const gone = [...targets.keys()]
        .filter((path) => !kept.includes(path))
        .map((path) => path.slice(path.lastIndexOf('/') + 1));
      const leavesOut = (target: string) =>
        /usr|opt|proc|^\/$/.test(target) || target.split('/').some((part) => gone.includes(part));
      const missing = answers.filter((path) => !kept.includes(path) && !leavesOut(targets.get(path) ?? ''));
      expect(missing).toEqual([]);
    },
  );
});
