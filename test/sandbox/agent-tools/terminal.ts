import { expect, it } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import type { SandboxKit } from '../conformance/kit.js';
import { ToolSession } from '../tool-session.js';

export function terminalBehaviour(kit: SandboxKit, profile: SandboxProfile): void {
  const session = async () => new ToolSession(await kit.shared());

  it('keeps working directory and exported variables between commands', async () => {
    const agent = await session();
    await agent.terminal(`mkdir -p /tmp/a/b && cd /tmp/a/b && export GREETING="it's
two lines" LOCAL_ONLY=x`);
    await agent.terminal('SHELL_ONLY=1');
    expect(await agent.terminal('pwd; echo "$GREETING"; echo "[$SHELL_ONLY]"')).toBe(
      "/tmp/a/b\nit's\ntwo lines\n[]",
    );
    await agent.terminal('unset GREETING; cd ..');
    expect(await agent.terminal('pwd; echo "[$GREETING]"')).toBe('/tmp/a\n[]');
  });

  it('reports the exit status and keeps the state of a command that calls exit', async () => {
    const agent = await session();
    const answer = await agent.call('terminal', { command: 'cd /tmp; export A=1; echo out; exit 7' });
    expect(answer).toEqual({ content: 'out\n[exit status 7]', success: false, error: 'failed' });
    // The in-memory shell forgets what a command did before it called exit.
    if (profile.processes) expect(await agent.terminal('echo $A in $(pwd)')).toBe('1 in /tmp');
    expect(await agent.terminal('true')).toBe('(no output)');
    expect(await agent.terminal('false')).toBe('[exit status 1]');
  });

  it('is not disturbed by options that a command sets', async () => {
    const agent = await session();
    expect(await agent.terminal('set -eu; set -C; cd /tmp; export B=2; false; echo never')).toBe(
      '[exit status 1]',
    );
    expect(await agent.terminal('false; echo goes on; echo "$B in $(pwd)"')).toBe('goes on\n2 in /tmp');
  });

  it('goes on elsewhere when the working directory is removed', async () => {
    const agent = await session();
    const start = await agent.terminal('pwd');
    await agent.terminal('mkdir /tmp/gone && cd /tmp/gone');
    await agent.terminal('rm -r /tmp/gone');
    expect(await agent.terminal('pwd')).toBe(`[the working directory /tmp/gone is gone]\n${start}`);
  });

  it('passes on quotes, unicode, here-documents and comments unharmed', async () => {
    const agent = await session();
    const command = `cat <<'END'\n$HOME "double" 'single' \`tick\` \\ ünïcödé 🙂 日本語\nEND\necho last # it's a comment`;
    expect(await agent.terminal(command)).toBe(`$HOME "double" 'single' \`tick\` \\ ünïcödé 🙂 日本語\nlast`);
  });

  it('runs commands longer than an argument may be', async () => {
    const agent = await session();
    const long = 'é'.repeat(100_000);
    await agent.terminal(`cat > /tmp/long <<'END'\n${long}\nEND\nexport AFTER=yes`);
    expect(await agent.terminal('wc -c < /tmp/long; echo $AFTER')).toMatch(/^\s*200001\nyes$/);
  });

  it('says what was left out of a huge output', async () => {
    const agent = await session();
    const content = await agent.terminal('echo start; seq 1 200000; echo end');
    expect(content.length).toBeLessThan(1_001_000);
    expect(content).toMatch(/^start\n1\n2\n[0-9\n]+\n\[… \d+ bytes left out …\]\n[0-9\n]+\n200000\nend$/);
  });

  it('kills a command that runs out of time and says so', async () => {
    const agent = await session();
    await agent.terminal('cd /tmp');
    const answer = await agent.call('terminal', {
      command: 'echo before; sleep 60; echo after',
      timeout_sec: 1,
    });
    expect(answer).toMatchObject({ success: false, error: 'timeout' });
    // The in-memory shell loses what an interrupted command printed.
    const start = profile.processes ? 'before\n' : '';
    expect(answer.content).toMatch(new RegExp(`^${start}\\[timed out after \\d`));
    expect(await agent.terminal('pwd')).toBe('/tmp');
  });

  it('reports a syntax error and goes on', async () => {
    const agent = await session();
    expect(await agent.terminal('if then')).toMatch(/\[exit status \d+\]$/);
    expect(await agent.terminal('echo fine')).toBe('fine');
  });

  if (profile.processes) realShells(kit);
}

function realShells(kit: SandboxKit): void {
  const session = async () => new ToolSession(await kit.shared());

  it('shows binary output without breaking', async () => {
    const agent = await session();
    const content = await agent.terminal(String.raw`printf 'a\000b\377c\303\251\n'`);
    expect(content).toBe('a␀b\ufffdcé');
  });

  it('keeps background processes running after the command', async () => {
    const agent = await session();
    await agent.terminal('sleep 300 > /dev/null 2>&1 & echo $! > /tmp/pid');
    expect(await agent.terminal('kill -0 $(cat /tmp/pid) && echo alive')).toBe('alive');
    await agent.terminal('kill $(cat /tmp/pid)');
  });

  it("leaves a command's own exit trap in place and keeps its state", async () => {
    const agent = await session();
    expect(await agent.terminal('trap "echo cleaned up" EXIT; export C=3; cd /tmp; echo working')).toBe(
      'working\ncleaned up',
    );
    expect(await agent.terminal('echo $C in $(pwd)')).toBe('3 in /tmp');
  });

  it('prints no trace of its own when a command traces', async () => {
    const agent = await session();
    expect(await agent.terminal('set -x; echo hi')).toMatch(/^\++ echo hi\nhi$/);
    expect(await agent.terminal('set -x; exit 3')).toMatch(/^\++ exit 3\n\[exit status 3\]$/);
  });

  it('survives a command that breaks PATH', async () => {
    const agent = await session();
    await agent.terminal('export PATH=/nowhere; export D=4');
    expect(await agent.terminal('echo $D $PATH')).toBe('4 /nowhere');
    await agent.terminal('export PATH=/usr/local/bin:/usr/bin:/bin');
    expect(await agent.terminal('ls -d /tmp')).toBe('/tmp');
  });
}

/** The same state by the plain POSIX shell, where an image has no bash. */
export function plainShellBehaviour(kit: SandboxKit): void {
  it('keeps the session in a sandbox without bash', async () => {
    const agent = new ToolSession(await kit.fresh());
    await agent.look('rm -f /bin/bash /usr/bin/bash');
    expect(await agent.terminal('command -v bash; cd /tmp; export E="a\'b c"; echo ok; exit 3')).toBe(
      'ok\n[exit status 3]',
    );
    expect(await agent.terminal('pwd; echo "$E"; echo "[$BASH_VERSION]"')).toBe("/tmp\na'b c\n[]");
    expect(await agent.terminal('set -e; set -C; cd /; false')).toBe('[exit status 1]');
    expect(await agent.terminal('pwd; if then')).toMatch(/\[exit status 2\]$/);
    await agent.terminal(`cat > /tmp/long <<'END'\n${'x'.repeat(150_000)}\nEND`);
    expect(await agent.terminal('wc -c < /tmp/long')).toBe('150001');
  });
}
