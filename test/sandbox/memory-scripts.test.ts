import { afterAll, expect, test } from 'vitest';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { eventually, NEVER, request, run, SandboxKit, textOf } from './conformance/kit.js';
import { tarOf } from './conformance/tar.js';

const kit = new SandboxKit(() => new MemoryDriver(), { kind: 'image', name: 'any' });
const opened = kit.open();
afterAll(() => kit.close());

async function fresh(): Promise<Sandbox> {
  await opened;
  return kit.fresh();
}

const SCRIPTS: Array<[what: string, script: string, output: string, exitCode?: number]> = [
  [
    'a verifier writes its reward',
    'mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; cat /logs/verifier/reward.txt',
    '1\n',
  ],
  [
    'a test script is made executable and run',
    'mkdir -p /tests; printf "#!/bin/bash\\nset -e\\necho in\\nfalse\\necho no\\n" > /tests/test.sh; chmod +x /tests/test.sh; /tests/test.sh',
    'in\n',
    1,
  ],
  [
    'a test script is run by bash',
    'echo "echo by bash; exit 3" > /t.sh; bash /t.sh; echo $?',
    'by bash\n3\n',
  ],
  [
    'a subshell writes both its outputs to a file',
    'printf "#!/bin/sh\\necho out\\necho err >&2\\n" > /t.sh; chmod +x /t.sh; (/t.sh) > /log 2>&1; cat /log',
    'out\nerr\n',
  ],
  [
    'grep, sed and awk work on a file',
    'printf "a 1\\nb 2\\n" > /f; grep b /f; sed s/a/x/ /f; awk "{s+=\\$2} END {print s}" /f',
    'b 2\nx 1\nb 2\n3\n',
  ],
  ['set -e ends the script', 'set -e; echo one; false; echo two', 'one\n', 1],
  ['a substitution takes stdout only', 'x=$(echo in; echo err >&2); echo "[$x]"', 'err\n[in]\n'],
  ['a pipe hands on what its first part prints', 'echo abc | tr a-c A-C | cat', 'ABC\n'],
  ['the states of a pipe can be asked for', `false | true; echo \${PIPESTATUS[0]}`, '1\n'],
  ['a here-document is expanded', 'X=y; cat <<EOF\n  x=$X\nEOF', '  x=y\n'],
  ['a here-document that is quoted is not', "cat <<'EOF'\n$X\nEOF", '$X\n'],
  ['exported variables can be listed', 'eval "export A=b"; export -p | grep " A="', 'declare -x A="b"\n'],
  [
    'an exit trap runs with the exit code',
    'trap \'echo "bye $?"\' EXIT; X=1; echo work; exit 4',
    'work\nbye 4\n',
    4,
  ],
  [
    'an exit trap sees the variables of the end',
    'trap \'echo "$X"; pwd\' EXIT; X=late; cd /tmp',
    'late\n/tmp\n',
  ],
  ['only the last exit trap runs', 'trap "echo one" EXIT; trap "echo two" EXIT', 'two\n'],
  ['a trap taken back does not run', 'trap "echo one" EXIT; trap - EXIT; echo end', 'end\n'],
  ['an exit trap of a nested script runs', 'bash -c "trap \'echo nested > /n\' EXIT"; true', ''],
  ['exec sends the rest to a file', 'exec > /log 2>&1; echo hidden; ls /none', '', 2],
  ['a descriptor of its own can be written to', 'exec 3> /f; echo three >&3; exec 3>&-; cat /f', 'three\n'],
  [
    'loops and functions print in order',
    'f() { echo "f$1"; echo e >&2; }; for i in 1 2; do f $i; done',
    'f1\ne\nf2\ne\n',
  ],
  ['a loop reads lines', 'printf "a\\nb\\n" | while read -r l; do echo "<$l>"; done', '<a>\n<b>\n'],
  ['a background job is done before the end', 'echo bg > /bg & wait; cat /bg', 'bg\n'],
  [
    'times and modes can be asked for',
    'touch -d "2020-01-01T00:00:00Z" /f; chmod 640 /f; stat -c "%Y %a" /f',
    '1577836800 640\n',
  ],
  ['everyone is root', 'whoami; id -u; echo $HOME', 'root\n0\n/root\n'],
  ['a temporary folder is made', 'd=$(mktemp -d); test -d "$d" && echo made', 'made\n'],
  [
    'conditions choose',
    'if [ -f /none ]; then echo a; elif test -d /tmp; then echo b; fi; case x in x) echo c;; esac',
    'b\nc\n',
  ],
];

test.each(SCRIPTS)('%s', async (_what, script, output, exitCode = 0) => {
  const result = await run(await fresh(), script);
  expect({ output: textOf(result), exitCode: result.exitCode }).toEqual({ output, exitCode });
});

test('what a script printed before its time was up is kept', async () => {
  const result = await run(await fresh(), 'for i in 1 2; do echo $i; done; echo err >&2; sleep 60', {
    timeoutMs: 1_000,
  });
  expect(result).toMatchObject({ timedOut: true, exitCode: null });
  expect(textOf(result)).toBe('1\n2\nerr\n');
});

test('a busy loop leaves the process able to work and ends at its time limit', async () => {
  const sandbox = await fresh();
  let ticks = 0;
  const timer = setInterval(() => ticks++, 20);
  const result = await run(sandbox, 'while :; do :; done', { timeoutMs: 500 });
  clearInterval(timer);
  expect(result.timedOut).toBe(true);
  expect(ticks).toBeGreaterThan(3);
});

test('a command killed on request says so and keeps its output', async () => {
  const sandbox = await fresh();
  const asked = request('echo on; touch /started; sleep 60');
  const handle = await sandbox.createExec(asked);
  await sandbox.startExec(handle, asked);
  await eventually(async () => (await run(sandbox, 'test -e /started')).exitCode === 0);
  await sandbox.killExec(handle);
  const result = await sandbox.awaitExec(handle, asked, NEVER);
  expect(result).toMatchObject({ killed: true, timedOut: false, exitCode: null });
  expect(textOf(result)).toBe('on\n');
});

test('a user other than root is refused, and so is the network', async () => {
  const sandbox = await fresh();
  await expect(run(sandbox, 'true', { user: 'nobody' })).rejects.toMatchObject({ code: 'sandbox_failed' });
  await expect(kit.fresh({ network: 'public' })).rejects.toMatchObject({
    code: 'sandbox_failed',
    retryable: false,
  });
});

test('a Dockerfile of the supported subset is built once and starts each sandbox', async () => {
  const driver = new MemoryDriver();
  const dockerfile = [
    'FROM debian:bookworm-slim',
    'ENV GREETING="hello there" \\',
    '    SECOND=2',
    'WORKDIR /app',
    'COPY data/ ./data/',
    'COPY --chmod=755 run.sh /usr/local/bin/run',
    '# a comment',
    'RUN mkdir -p out && touch -d "2020-01-01T00:00:00Z" out/old \\',
    ' && echo "$GREETING" > out/greeting',
    'CMD ["sleep", "1"]',
  ].join('\n');
  let loaded = 0;
  const context = async () => {
    loaded += 1;
    return tarOf([
      { name: 'Dockerfile', data: dockerfile },
      { name: 'data/a.txt', data: 'a' },
      { name: 'data/sub/b.txt', data: 'b' },
      { name: 'run.sh', data: '#!/bin/sh\necho ran $SECOND\n' },
    ]);
  };
  const source = {
    kind: 'dockerfile' as const,
    context: { sha256: 'a'.repeat(64), bytes: 1 },
    buildTimeoutMs: 5000,
  };
  const never = new AbortController().signal;
  const image = await driver.prepareImage(source, context, never);
  expect(await driver.prepareImage(source, context, never)).toBe(image);
  expect(loaded).toBe(1);
  const spec = {
    image: source,
    cpus: null,
    memoryMb: null,
    storageMb: null,
    network: 'none' as const,
    env: {},
    workdir: null,
    healthcheck: null,
  };
  const sandbox = await driver.create({ image, spec, owner: kit.owner() }, never);
  const result = await run(
    sandbox,
    'pwd; find data -type f | sort; run; cat out/greeting; stat -c %Y out/old',
  );
  expect(textOf(result)).toBe('/app\ndata/a.txt\ndata/sub/b.txt\nran 2\nhello there\n1577836800\n');
  expect(await sandbox.changedPaths()).toEqual([]);
  await driver.close();
});

test.each([
  ['RUN false', /line 2: RUN ended with exit code 1/],
  ['HEALTHCHECK CMD true', /line 2: HEALTHCHECK is not supported/],
  ['USER agent', /line 2: USER agent is not supported/],
  ['COPY --from=0 a b', /line 2: COPY --from=0 is not supported/],
  ['COPY nothing /x', /no "nothing" in the build context/],
])('a Dockerfile with %s fails to build and says why', async (line, message) => {
  const driver = new MemoryDriver();
  const context = () => tarOf([{ name: 'Dockerfile', data: `FROM x\n${line}\n` }]);
  const source = {
    kind: 'dockerfile' as const,
    context: { sha256: 'b'.repeat(64), bytes: 1 },
    buildTimeoutMs: 5000,
  };
  const building = driver.prepareImage(source, context, new AbortController().signal);
  await expect(building).rejects.toMatchObject({
    code: 'image_build_failed',
    message: expect.stringMatching(message),
    retryable: false,
  });
});
