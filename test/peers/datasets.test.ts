import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { exportEpisodes } from '../../src/trajectories/export.js';
import { openOutput } from '../../src/trajectories/files/output.js';
import { rowFormat } from '../../src/trajectories/row-formats.js';
import {
  assistant,
  episode,
  result,
  reward,
  timeStep,
  tool,
  user,
} from '../trajectories/support/episodes.js';
import { runPeer } from './support/python.js';

const call = (id: string, name: string, text = '{"command": "ls"}') => ({ id, name, arguments: text });
const unscored: Partial<Episode> = { rewards: [] };

/** Differently shaped rollouts, those that tell the least of the columns' types first. */
const TEN: Episode[] = [
  episode('no-tools', [timeStep([user('hi'), assistant('hello')])], {
    ...unscored,
    model: null,
    finishedAt: null,
  }),
  episode('no-answer', [timeStep([user('2026-01-01')])], { ...unscored, metadata: { tags: [], note: null } }),
  episode('whole-number', [timeStep([user('1'), assistant('2026-01-01', [], 'hm')], [tool('terminal')])]),
  episode(
    'called',
    [
      timeStep(
        [
          user('go'),
          assistant('', [call('a', 'terminal')], 'think'),
          result('a', 'terminal', '{"ok": true}'),
        ],
        [tool('terminal')],
      ),
      timeStep([assistant('done')]),
    ],
    {
      rewards: [reward(0.5)],
      metadata: { difficulty: 'hard', seed: 3, tags: ['a'], note: 'first', weight: 1 },
    },
  ),
  episode('fraction', [timeStep([user('q'), assistant('a')])], {
    rewards: [reward(0.25)],
    metadata: { weight: 0.5 },
  }),
  episode(
    'new-tools-late',
    [
      timeStep([
        user('go'),
        assistant('', [call('a', 'invented')]),
        result('a', 'invented', 'error: no such tool'),
      ]),
      timeStep([assistant('', [call('b', 'browser')])], [tool('browser'), tool('terminal')]),
    ],
    { rewards: [reward(-1)], metadata: { mixed: 7 } },
  ),
  episode('unicode', [timeStep([user('é🙂\u2028\u0000 测试'), assistant('\ud83d alone, \udc00')])], {
    metadata: { mixed: 'x' },
  }),
  episode('empty', [timeStep([user(''), assistant('', [call('a', 'terminal', '')]), result('a', '', '')])], {
    ...unscored,
    metadata: { tags: [], mixed: { a: [] } },
  }),
  episode('broken-arguments', [timeStep([user('q'), assistant('', [call('a', 'terminal', '{"command')])])], {
    metadata: { day: '2026-01-01' },
  }),
  episode('large', [timeStep([user('x'.repeat(50_000)), assistant('y'.repeat(50_000))])], {
    rewards: [reward(1e-7)],
    metadata: { day: '2026-01-02T03:04:05' },
  }),
];

describe('Hugging Face datasets', () => {
  let folder: string;
  let found: Record<string, Record<string, string>>;
  const at = (name: string): string => join(folder, `${name}.jsonl`);
  const outcome = (name: string): string[] => Object.values(found[at(name)] ?? {});

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'longrun-datasets-'));
    await write('cli', 'sharegpt', TEN, { variant: 'cli' });
    await write('batch', 'sharegpt', TEN, { variant: 'batch' });
    await write('messages', 'messages', TEN);
    await write(
      'never-scored',
      'sharegpt',
      TEN.map((one) => ({ ...one, ...unscored })),
      { variant: 'batch' },
    );
    writeBroken();
    const names = ['cli', 'batch', 'messages', 'never-scored', ...Object.keys(BROKEN)];
    const { stdout, stderr } = await runPeer('load_datasets.py', names.map(at));
    expect(stdout, stderr).not.toBe('');
    found = JSON.parse(stdout);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function write(name: string, format: string, episodes: Episode[], options = {}): Promise<void> {
    const output = await openOutput(at(name), { force: false });
    const inputs = {
      read: async function* () {
        yield* episodes;
      },
    };
    const { written } = await exportEpisodes(inputs, rowFormat(format), output, { format: options });
    expect(written).toBe(episodes.length);
    await output.commit();
  }

  /** What each of our rules is for: the same rows with one of them broken. */
  const BROKEN: Record<string, (lines: string[]) => string[]> = {
    'the rewards of the first rows are null': (lines) => [
      ...lines.filter((line) => line.includes('"reward": null')),
      ...lines.filter((line) => !line.includes('"reward": null')),
    ],
    'rewards are written without a decimal point': (lines) => [
      ...lines
        .filter((line) => line.includes('"reward": 1.0'))
        .map((line) => line.replace('"reward": 1.0', '"reward": 1')),
      ...lines.filter((line) => !line.includes('"reward": 1.0')),
    ],
    'a tool is missing from the maps of the first row': ([first = '', ...lines]) => [
      first.replaceAll(/"invented": (\{[^}]*\}|\d+), /g, ''),
      ...lines,
    ],
    'a surrogate stands alone': (lines) => [
      ...lines,
      (lines[0] ?? '').replace('"value": "', '"value": "\\ud83d '),
    ],
    'the last line is torn': (lines) => [...lines, (lines[0] ?? '').slice(0, 200)],
  };

  function writeBroken(): void {
    const lines = readFileSync(at('batch'), 'utf8').trimEnd().split('\n');
    for (const [name, breakRule] of Object.entries(BROKEN))
      writeFileSync(at(name), `${breakRule(lines).join('\n')}\n`);
  }

  it.each(['cli', 'batch', 'messages', 'never-scored'])(
    'loads ten differently shaped rollouts and gives back what was written: %s',
    (name) => {
      expect(found[at(name)]).toEqual({
        whole: 'ok',
        chunked: 'ok',
        streaming: 'ok',
        'streaming, chunked': 'ok',
      });
    },
  );

  it.each(Object.keys(BROKEN))('refuses them where %s', (name) => {
    expect(outcome(name).some((answer) => answer.startsWith('refused: '))).toBe(true);
  });
});
