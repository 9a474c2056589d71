import { expect, it } from 'vitest';
import type { SandboxKit } from '../conformance/kit.js';
import { ToolSession } from '../tool-session.js';

const TREE = `mkdir -p /tmp/s/src/deep /tmp/s/.git && cd /tmp/s
printf 'alpha\\nbeta über 42\\n' > src/one.py
printf 'gamma\\nbeta 7\\n' > src/deep/two.txt
printf 'beta 1\\n' > .git/config
printf "it's beta\\n" > 'odd name.py'`;

export function searchFilesBehaviour(kit: SandboxKit): void {
  const session = async () => {
    const agent = new ToolSession(await kit.shared());
    await agent.terminal(TREE);
    return agent;
  };
  const sorted = (content: string) => content.split('\n').sort();

  it('finds lines by an extended regular expression', async () => {
    const agent = await session();
    expect(sorted((await agent.call('search_files', { pattern: 'beta .*[0-9]+$' })).content)).toEqual([
      'src/deep/two.txt:2:beta 7',
      'src/one.py:2:beta über 42',
    ]);
    expect((await agent.call('search_files', { pattern: "it's", file_glob: '*.py' })).content).toBe(
      "odd name.py:1:it's beta",
    );
    expect((await agent.call('search_files', { pattern: 'gamma', file_glob: '*.py' })).content).toBe(
      'No matches.',
    );
    expect((await agent.call('search_files', { pattern: 'alpha', path: '/tmp/s/src/one.py' })).content).toBe(
      '/tmp/s/src/one.py:1:alpha',
    );
  });

  it('finds files by part of their name or by a glob', async () => {
    const agent = await session();
    const byName = (pattern: string) =>
      agent.call('search_files', { pattern, target: 'name' }).then((answer) => sorted(answer.content));
    expect(await byName('two')).toEqual(['src/deep/two.txt']);
    expect(await byName('*.py')).toEqual(['odd name.py', 'src/one.py']);
  });

  it('stops at the limit and says so', async () => {
    const agent = await session();
    await agent.terminal('seq 1 500 > numbers');
    const { content } = await agent.call('search_files', { pattern: '.', path: 'numbers', limit: 3 });
    expect(content).toBe(
      'numbers:1:1\nnumbers:2:2\nnumbers:3:3\n[only the first 3 matches: narrow the search]',
    );
  });

  it('explains a bad expression and a missing folder', async () => {
    const agent = await session();
    expect((await agent.call('search_files', { pattern: 'a(' })).content).toContain('not valid');
    expect((await agent.call('search_files', { pattern: 'a', path: 'nowhere' })).content).toBe(
      'nowhere: no such file or directory.',
    );
  });
}
