import { expect, it } from 'vitest';
import type { SandboxKit } from '../conformance/kit.js';
import { ToolSession } from '../tool-session.js';

export function readFileBehaviour(kit: SandboxKit): void {
  const session = async (setUp = 'true') => {
    const agent = new ToolSession(await kit.shared());
    await agent.terminal(setUp);
    return agent;
  };

  it('reads a file with line numbers, from the session directory', async () => {
    const agent = await session('mkdir /tmp/w && cd /tmp/w && printf "eins\\nzwei ü 🙂\\n" > a.txt');
    expect((await agent.call('read_file', { path: 'a.txt' })).content).toBe(
      '     1\teins\n     2\tzwei ü 🙂',
    );
  });

  it('reads ranges and says where to read on', async () => {
    const agent = await session('seq 1 1200 > /tmp/n');
    expect((await agent.call('read_file', { path: '/tmp/n', offset: 10, limit: 2 })).content).toBe(
      '    10\t10\n    11\t11\n[lines 10-11 of 1200; read on with offset 12]',
    );
    expect((await agent.call('read_file', { path: '/tmp/n' })).content).toMatch(
      /\n[ ]+500\t500\n\[lines 1-500 of 1200; read on with offset 501\]$/,
    );
    expect((await agent.call('read_file', { path: '/tmp/n', offset: 1200 })).content).toBe(
      '  1200\t1200\n[lines 1200-1200 of 1200]',
    );
    expect(await agent.call('read_file', { path: '/tmp/n', offset: 1201 })).toMatchObject({
      success: false,
      content: '/tmp/n has 1200 lines; there is no line 1201.',
    });
  });

  it('names what lies beside a missing file', async () => {
    const agent = await session('mkdir /tmp/m && touch /tmp/m/main.py /tmp/m/notes');
    expect(await agent.call('read_file', { path: '/tmp/m/Main.py' })).toMatchObject({
      success: false,
      content: '/tmp/m/Main.py: no such file. Beside it there are: main.py, notes',
    });
    expect((await agent.call('read_file', { path: '/tmp/none/x' })).content).toBe(
      '/tmp/none/x: no such file.',
    );
  });

  it('lists a directory instead of reading it', async () => {
    const agent = await session('mkdir -p /tmp/d/sub && touch /tmp/d/file /tmp/d/.hidden');
    expect(await agent.call('read_file', { path: '/tmp/d' })).toMatchObject({
      success: false,
      content: '/tmp/d is a directory. It holds:\n.hidden\nfile\nsub',
    });
  });

  it('refuses binary files and shows text that is not UTF-8', async () => {
    const agent = await session(String.raw`printf 'ab\000cd' > /tmp/bin; printf 'caf\351\n' > /tmp/latin1`);
    expect(await agent.call('read_file', { path: '/tmp/bin' })).toMatchObject({ success: false });
    expect((await agent.call('read_file', { path: '/tmp/bin' })).content).toContain('binary file of 5 bytes');
    expect((await agent.call('read_file', { path: '/tmp/latin1' })).content).toBe('     1\tcaf\ufffd');
  });

  it('reads huge files and huge lines in parts', async () => {
    const agent = await session('seq 1 60000 | tr -d "\\n" > /tmp/line; seq 1 20000 > /tmp/many');
    const line = (await agent.call('read_file', { path: '/tmp/line' })).content;
    expect(line.length).toBeLessThan(3_000);
    expect(line).toMatch(/^ {5}1\t\d+\[… the line goes on for more than \d+ characters/);
    const many = (await agent.call('read_file', { path: '/tmp/many', offset: 18_000, limit: 2000 })).content;
    expect(many).toMatch(/\n\[lines 18000-\d+ of 20000; read on with offset \d+\]$/);
    expect(many.length).toBeLessThan(16_000);
  });

  it('says that an empty file is empty', async () => {
    const agent = await session(': > /tmp/empty');
    expect((await agent.call('read_file', { path: '/tmp/empty' })).content).toBe('[/tmp/empty is empty]');
  });

  it('reads paths with quotes, spaces and leading dashes', async () => {
    const agent = await session(`cd /tmp; echo odd > "it's \\$odd"; echo dash > -n`);
    expect((await agent.call('read_file', { path: "it's $odd" })).content).toBe('     1\todd');
    expect((await agent.call('read_file', { path: '-n' })).content).toBe('     1\tdash');
  });
}
