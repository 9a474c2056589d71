import { expect, it } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { bytesOf, run, type SandboxKit } from '../conformance/kit.js';
import { ToolSession } from '../tool-session.js';

export function writeAndPatchBehaviour(kit: SandboxKit, profile: SandboxProfile): void {
  const session = async (setUp = 'true') => {
    const agent = new ToolSession(await kit.shared());
    await agent.terminal(setUp);
    return agent;
  };
  const read = async (agent: ToolSession, path: string) =>
    bytesOf(await run(agent.sandbox, `cat '${path}'`, { outputLimitBytes: 4_000_000 }));

  it('writes a new file with its folders and tells its size in bytes', async () => {
    const agent = await session('cd /tmp');
    const content = `ünï 🙂\n'"\`$HOME \\n\r\n`;
    const answer = await agent.call('write_file', { path: 'x/y z/a.txt', content });
    expect(answer).toEqual({
      content: `Wrote ${Buffer.byteLength(content)} bytes to x/y z/a.txt (new file).`,
      success: true,
      error: null,
    });
    expect((await read(agent, '/tmp/x/y z/a.txt')).toString()).toBe(content);
    expect(await agent.look('ls -A "/tmp/x/y z"')).toBe('a.txt\n');
  });

  it('replaces a file, keeps its mode and leaves nothing beside it', async () => {
    const agent = await session('mkdir /tmp/r && echo old > /tmp/r/run.sh && chmod 750 /tmp/r/run.sh');
    expect((await agent.call('write_file', { path: '/tmp/r/run.sh', content: '' })).content).toBe(
      'Wrote 0 bytes to /tmp/r/run.sh (replaced).',
    );
    expect(await agent.look('stat -c "%a %s" /tmp/r/run.sh; ls -A /tmp/r')).toBe('750 0\nrun.sh\n');
  });

  it('writes through a link to the file behind it', async () => {
    const agent = await session('mkdir /tmp/l && cd /tmp/l && echo a > real && ln -s real link');
    await agent.call('write_file', { path: '/tmp/l/link', content: 'b\n' });
    expect(await agent.look('cat /tmp/l/real; readlink /tmp/l/link')).toBe('b\nreal\n');
  });

  it('writes files of some megabytes', async () => {
    const agent = await session();
    const content = 'äöü\n'.repeat(100_000);
    await agent.call('write_file', { path: '/tmp/big', content });
    expect((await agent.look('wc -c < /tmp/big')).trim()).toBe(String(Buffer.byteLength(content)));
  });

  it('does not write over a directory', async () => {
    const agent = await session('mkdir /tmp/dir');
    expect(await agent.call('write_file', { path: '/tmp/dir', content: 'x' })).toEqual({
      content: 'Nothing was written: it is a directory',
      success: false,
      error: 'failed',
    });
  });

  it('patches one place and shows it', async () => {
    const agent = await session('cd /tmp; seq 1 9 > p; chmod 600 p');
    const answer = await agent.call('patch', { path: 'p', old_string: '4\n5\n', new_string: 'vier\n' });
    expect(answer.content).toBe(
      'Patched p at line 4. It reads now:\n     2\t2\n     3\t3\n     4\tvier\n     5\t6\n     6\t7',
    );
    expect(await agent.look('stat -c %a /tmp/p; head -n 5 /tmp/p')).toBe('600\n1\n2\n3\nvier\n6\n');
  });

  it('changes nothing when the text occurs several times, and names the lines', async () => {
    const agent = await session('printf "x = 1\\ny = 2\\nx = 1\\n" > /tmp/q');
    const answer = await agent.call('patch', { path: '/tmp/q', old_string: 'x = 1', new_string: 'x = 3' });
    expect(answer.success).toBe(false);
    expect(answer.content).toContain('occurs 2 times in /tmp/q (lines 1, 3)');
    expect(await agent.look('cat /tmp/q')).toBe('x = 1\ny = 2\nx = 1\n');
  });

  it('shows lines that resemble a text which does not occur', async () => {
    const agent = await session('printf "def f():\\n\\treturn 1\\n" > /tmp/f.py');
    const answer = await agent.call('patch', {
      path: '/tmp/f.py',
      old_string: '    return  1',
      new_string: 'pass',
    });
    expect(answer.content).toContain('does not occur in /tmp/f.py');
    expect(answer.content).toContain('     2\t\treturn 1');
  });

  it('names line ends as the reason where they are', async () => {
    const agent = await session('printf "a\\r\\nb\\r\\n" > /tmp/dos');
    const answer = await agent.call('patch', { path: '/tmp/dos', old_string: 'a\nb', new_string: 'c' });
    expect(answer.content).toContain('end in CRLF');
  });

  it('leaves bytes that are no text as they are', async () => {
    const agent = await session(String.raw`printf '\377\000é old \376' > /tmp/b`);
    await agent.call('patch', { path: '/tmp/b', old_string: 'é old', new_string: 'ß new' });
    expect((await read(agent, '/tmp/b')).toString('hex')).toBe(
      Buffer.concat([Buffer.from([0xff, 0]), Buffer.from('ß new '), Buffer.from([0xfe])]).toString('hex'),
    );
  });

  it('explains missing files, directories and texts that are the same', async () => {
    const agent = await session('mkdir /tmp/pd');
    const patch = (path: string, old_string: string) =>
      agent.call('patch', { path, old_string, new_string: 'n' }).then((answer) => answer.content);
    expect(await patch('/tmp/pd/none', 'o')).toBe('/tmp/pd/none: no such file.');
    expect(await patch('/tmp/pd', 'o')).toContain('is a directory');
    expect(await patch('/tmp/pd', 'n')).toContain('are the same');
  });

  if (!profile.users) return;
  it('reports what an agent that is not root may not write', async () => {
    const sandbox = await kit.fresh();
    const root = new ToolSession(sandbox);
    await root.terminal('echo secret > /tmp/root-only; chmod 600 /tmp/root-only; mkdir -m 755 /tmp/root-dir');
    const agent = new ToolSession(sandbox, 'nobody');
    expect((await agent.call('write_file', { path: '/tmp/root-only', content: 'x' })).content).toContain(
      'permission denied',
    );
    expect((await agent.call('write_file', { path: '/tmp/root-dir/x', content: 'x' })).success).toBe(false);
    expect((await agent.call('read_file', { path: '/tmp/root-only' })).content).toContain(
      'permission denied',
    );
    expect(await agent.terminal('cd /var; export N=1; id -un')).toBe('nobody');
    expect(await agent.terminal('pwd; echo $N')).toBe('/var\n1');
  });
}
