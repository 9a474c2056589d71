import { describe, expect, test } from 'vitest';
import { copyContext } from '../../src/sandbox/dockerfile/copy-context.js';
import { parseDockerfile } from '../../src/sandbox/dockerfile/parse-dockerfile.js';
import type { TarEntry } from '../../src/sandbox/tar-entries.js';

const steps = (text: string) => parseDockerfile(text, { PATH: '/bin' });

describe('a Dockerfile without a builder', () => {
  test('keeps continued lines together, drops comments, and counts lines from the start of each instruction', () => {
    const text = 'FROM x\n# first\nRUN a \\\n  # within\n  && b\n\nWORKDIR /w\n';
    expect(steps(text)).toEqual([
      { kind: 'run', script: 'a   && b', line: 3 },
      { kind: 'workdir', path: '/w', line: 7 },
    ]);
  });

  test('expands variables of ENV and ARG, also those that were there before', () => {
    const text = `ARG V=1\nENV A="x $V" B='y' PATH=/new:$PATH\nENV C d e\nWORKDIR /\${A}/\${NONE:-z}`;
    expect(steps(text)).toMatchObject([
      { values: { A: 'x 1', B: 'y', PATH: '/new:/bin' } },
      { values: { C: 'd e' } },
      { path: '/x 1/z' },
    ]);
  });

  test('takes RUN and COPY in JSON form', () => {
    expect(steps('RUN ["echo", "it\'s"]\nCOPY ["a b", "/c/"]')).toMatchObject([
      { script: `'echo' 'it'\\''s'` },
      { sources: ['a b'], destination: '/c/' },
    ]);
  });

  test.each([
    'RUN --mount=type=cache true',
    'RUN <<EOF',
    'COPY --from=x a b',
    'ADD a b',
    'SHELL ["x"]',
    'nonsense',
  ])('refuses "%s" by name and line', (line) => {
    expect(() => steps(`FROM x\n${line}`)).toThrow(/Dockerfile line 2: /);
  });
});

describe('COPY', () => {
  const entry = (path: string, type: TarEntry['type'] = 'file'): TarEntry => ({
    path,
    type,
    mode: 0o600,
    mtime: new Date(0),
    content: new Uint8Array(),
    target: '',
  });
  const context = [
    entry('', 'directory'),
    entry('a.txt'),
    entry('b.txt'),
    entry('dir', 'directory'),
    entry('dir/c.md'),
  ];
  const copied = (instruction: string) => {
    const [step] = steps(instruction);
    if (step?.kind !== 'copy') throw new Error('not a COPY');
    return copyContext(step, context, '/job').map((copy) => copy.path);
  };

  test.each([
    ['COPY a.txt /x', ['/x']],
    ['COPY a.txt /x/', ['/x/a.txt']],
    ['COPY a.txt .', ['/job/a.txt']],
    ['COPY *.txt t/', ['/job/t/a.txt', '/job/t/b.txt']],
    ['COPY dir /x', ['/x', '/x/c.md']],
    ['COPY . /x', ['/x', '/x/a.txt', '/x/b.txt', '/x/dir', '/x/dir/c.md']],
  ])('%s puts %j into the image', (instruction, paths) => {
    expect(copied(instruction)).toEqual(paths);
  });

  test('cannot reach out of the build context', () => {
    expect(() => copied('COPY ../../etc/passwd /x')).toThrow(/found no/);
  });
});
