import { describe, expect, it } from 'vitest';
import { suspectTampering } from '../../../src/tasks/verification/suspect-tampering.js';

const suspects = (paths: string[], testsRanBefore = false) =>
  suspectTampering(
    paths.map((path) => ({ path, kind: 'modified' as const })),
    { testsRanBefore },
  );

const SUSPECT = [
  '/bin/sh',
  '/usr/bin/bash',
  '/usr/local/bin/python3.11',
  '/usr/bin/perl',
  '/usr/local/bin/node',
  '/usr/bin/env',
  '/usr/local/bin/pytest',
  '/root/.local/bin/uvx',
  '/etc/ld.so.preload',
  '/etc/ld.so.cache',
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/ld-musl-x86_64.so.1',
  '/etc/profile.d/x.sh',
  '/root/.bashrc',
  '/home/dev/.profile',
  '/usr/lib/python3/dist-packages/sitecustomize.py',
  '/usr/local/lib/python3.11/site-packages/evil.pth',
  '/usr/local/lib/python3.11/site-packages/_pytest/runner.py',
  '/conftest.py',
  '/tests',
  '/tests/test_outputs.py',
  '/logs/verifier/reward.txt',
];
const PLAIN = [
  '/app/sh',
  '/usr/bin/pythonic',
  '/usr/bin/git',
  '/logs/verifier',
  '/logs/artifacts/x',
  '/app/tests/test.sh',
  '/app/conftest.py',
  '/root/.cache/x',
  '/usr/lib/python3.11/__pycache__/sitecustomize.cpython-311.pyc',
  '/usr/bin',
];

describe('a change that could bend a verifier is suspected', () => {
  it.each(SUSPECT)('%s', (path) => expect(suspects([path])).toEqual([`modified ${path}`]));
});

describe('the work of an agent is not', () => {
  it.each(PLAIN)('%s', (path) => expect(suspects([path])).toEqual([]));

  it('nor is what the tests of an earlier step left', () => {
    const left = ['/tests/test.sh', '/logs/verifier/reward.txt', '/etc/ld.so.cache'];
    expect(suspects(left, true)).toEqual([]);
    expect(suspectTampering([{ path: '/usr/bin/python3', kind: 'added' }], { testsRanBefore: true })).toEqual(
      [],
    );
    expect(suspects(['/bin/sh'], true)).toEqual(['modified /bin/sh']);
  });
});
