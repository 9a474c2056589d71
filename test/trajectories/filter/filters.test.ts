import { describe, expect, it } from 'vitest';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import { compressEpisode } from '../../../src/trajectories/compress/compress-episode.js';
import { extractiveSummariser } from '../../../src/trajectories/compress/extractive.js';
import { chooseFilters } from '../../../src/trajectories/filter/choose-filters.js';
import { FilterChain } from '../../../src/trajectories/filter/filter-chain.js';
import { DEFAULT_FILTER, type FilterOptions } from '../../../src/trajectories/filter/options.js';
import { Reservoir } from '../../../src/trajectories/filter/reservoir.js';
import { assistant, episode, result, reward, timeStep, user } from '../support/episodes.js';

/** Why each episode is dropped, by the filter that does it. */
function dropped(episodes: readonly Episode[], options: Partial<FilterOptions> = {}): (string | null)[] {
  const chain = new FilterChain(chooseFilters({ ...DEFAULT_FILTER, ...options }));
  return episodes.map((row) => {
    const found = chain.check(row);
    return found && `${found.filter}: ${found.reason}`;
  });
}
const verdict = (row: Episode, options: Partial<FilterOptions> = {}) => dropped([row], options)[0];

const TERMINAL = {
  type: 'function',
  function: {
    name: 'terminal',
    description: 'Runs a command',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string' }, timeout_sec: { type: 'number' } },
      required: ['command'],
      additionalProperties: false,
    },
  },
};
const call = (args: string, name = 'terminal', id = 'c1') => ({ id, name, arguments: args });
const LS = call('{"command":"ls"}');

/** One turn with these calls and results, then an answer. */
function withCalls(
  calls: readonly ReturnType<typeof call>[],
  results: readonly ReturnType<typeof result>[],
  facts: Partial<Episode> = {},
): Episode {
  return episode(
    'row',
    [timeStep([user('Do it'), assistant('', calls), ...results], [TERMINAL]), timeStep([assistant('Done.')])],
    facts,
  );
}
const good = (facts: Partial<Episode> = {}) => withCalls([LS], [result('c1', 'terminal', 'a b')], facts);
const ended = (stopReason: Episode['outcome']['stopReason'], extra: Partial<Episode['outcome']> = {}) => ({
  outcome: { ...good().outcome, stopReason, completed: stopReason === 'natural', ...extra },
});

describe('rows that were cut short', () => {
  it('go with their reason', () => {
    const failure = { code: 'sandbox_lost', message: 'the host is gone' };
    expect(verdict(good())).toBeNull();
    expect(verdict(good(ended('max_turns')))).toBe('complete: stop reason max_turns');
    expect(verdict(good(ended('sandbox_lost', { failure })))).toBe(
      'complete: stop reason sandbox_lost: the host is gone',
    );
    expect(verdict(good(ended(null)))).toBe('complete: not completed');
  });

  it('stay where recovery is the goal, also with a call in the air', () => {
    const cut = withCalls([LS], [], ended('wall_timeout'));
    const inTheAir = {
      ...cut,
      trajectory: { ...cut.trajectory, timesteps: cut.trajectory.timesteps.slice(0, 1) },
    };
    expect(verdict(inTheAir, { goal: 'failure-recovery' })).toBeNull();
    expect(verdict(cut, { goal: 'failure-recovery' })).toBe(
      'calls: turn 2: call c1 of terminal has no result',
    );
  });
});

describe('calls', () => {
  it.each([
    [
      'a tool that does not exist',
      call('{}', 'browse'),
      'turn 1: there is no tool "browse": terminal were offered',
    ],
    ['text that is no JSON', call('{"command": '), 'turn 1: the arguments of terminal are no JSON object'],
    ['arguments that are no object', call('["ls"]'), 'turn 1: the arguments of terminal are no JSON object'],
    [
      'a missing argument',
      call('{}'),
      "turn 1: the arguments of terminal are not as its schema says: must have required property 'command'",
    ],
    [
      'an argument of another type',
      call('{"command":1}'),
      'turn 1: the arguments of terminal are not as its schema says: /command must be string',
    ],
    [
      'an argument too many',
      call('{"command":"ls","cwd":"/"}'),
      'turn 1: the arguments of terminal are not as its schema says: must NOT have additional properties "cwd"',
    ],
  ])('%s is found', (_title, made, reason) => {
    expect(verdict(withCalls([made], [result('c1', made.name, '')]))).toBe(`calls: ${reason}`);
  });

  it.each([
    ['no result', [], 'turn 2: call c1 of terminal has no result'],
    [
      'two results',
      [result('c1', 'terminal', ''), result('c1', 'terminal', '')],
      'turn 1: call c1 has two results',
    ],
    [
      'a result of no call',
      [result('c9', 'terminal', '')],
      'turn 1: a result of terminal names call c9, which was not made',
    ],
    [
      'a result of another name',
      [result('c1', 'browse', '')],
      'turn 1: the result of call c1 is named browse, the call terminal',
    ],
  ])('%s is found', (_title, results, reason) => {
    expect(verdict(withCalls([LS], results))).toBe(`calls: ${reason}`);
  });

  it('may be wrong where that was answered with an error, if that is allowed', () => {
    const answered = (text: string) => withCalls([call('{}', 'browse')], [result('c1', 'browse', text)]);
    const seen = answered('Error: there is no tool browse');
    expect(verdict(seen)).toContain('there is no tool "browse"');
    expect(verdict(seen, { allowRefusedCalls: true })).toBeNull();
    expect(verdict(seen, { goal: 'failure-recovery' })).toBeNull();
    expect(verdict(answered('a page'), { allowRefusedCalls: true })).toContain('there is no tool "browse"');
    const known = answered('Unknown tool');
    const facts = {
      toolCallId: 'c1',
      success: false,
      error: 'unknown_tool',
      exitCode: null,
      durationMs: null,
    };
    const recorded = {
      ...known,
      turns: known.turns.map((turn, i) => (i === 0 ? { ...turn, results: [facts] } : turn)),
    };
    expect(verdict(recorded, { allowRefusedCalls: true })).toBeNull();
  });

  it('are checked against the tools of their own turn', () => {
    const row = good();
    const later = timeStep(
      [assistant('', [call('{}', 'late', 'c2')]), result('c2', 'late', '')],
      [{ name: 'late' }],
    );
    const timesteps = [
      ...row.trajectory.timesteps.slice(0, 1),
      later,
      timeStep([assistant('', [LS]), result('c1', 'terminal', '')]),
    ];
    expect(verdict({ ...row, trajectory: { ...row.trajectory, timesteps } })).toBe(
      'calls: turn 3: there is no tool "terminal": late were offered',
    );
  });
});

describe('bounds', () => {
  it('take in the bound itself, and never a row without a reward', () => {
    const at = (value: number) => good({ rewards: [reward(value)] });
    const bounds = { minReward: 0.5, maxReward: 0.8 };
    expect(dropped([at(0.5), at(0.8), at(0.4), at(0.9), good({ rewards: [] })], bounds)).toEqual([
      null,
      null,
      'reward: reward 0.4, at least 0.5 is asked for',
      'reward: reward 0.9, at most 0.8 is asked for',
      'reward: no reward',
    ]);
  });

  it('never take an infrastructure failure for a score, whatever people said of it', () => {
    const rewards = [{ ...reward(1), source: 'user' as const }];
    const row = good({ ...ended('verifier_error', { failureClass: 'infrastructure' }), rewards });
    expect(verdict(row, { goal: 'failure-recovery', minReward: 0 })).toBe('reward: no reward');
    expect(verdict(row, { goal: 'failure-recovery', maxReward: 1 })).toBe('reward: no reward');
  });

  it('use the reward that counts in the order that was asked for', () => {
    const rewards = [reward(0), { ...reward(1), source: 'user' as const }];
    expect(verdict(good({ rewards }), { minReward: 1 })).toContain('reward 0');
    expect(verdict(good({ rewards }), { minReward: 1, rewardOrder: ['user', 'environment'] })).toBeNull();
  });

  it('count turns, calls, reasoning, tokens and stop reasons', () => {
    const bare = episode('bare', [timeStep([user('Hi'), assistant('Hello', [], '  ')])]);
    expect(verdict(bare, { minTurns: 2 })).toBe('turns: turns 1, at least 2 is asked for');
    expect(verdict(good(), { maxTurns: 1 })).toBe('turns: turns 2, at most 1 is asked for');
    expect(verdict(bare, { requireToolCalls: true })).toBe('tool_calls: no tool was called');
    expect(verdict(bare, { requireReasoning: true })).toBe('reasoning: no turn has reasoning');
    expect(verdict(bare, { maxTokens: 10 })).toMatch(/^tokens: tokens \d+, at most 10 is asked for$/);
    expect(verdict(good(), { stopReasons: ['max_turns'] })).toBe('stop_reason: stop reason natural');
    expect(
      verdict(good(), { stopReasons: ['natural', 'max_turns'], requireToolCalls: true, maxTokens: 1_000 }),
    ).toBeNull();
  });

  it('drop what has no turn at all', () => {
    const died = episode('died', [], ended('provision_error'));
    expect(verdict(died, { goal: 'failure-recovery' })).toBe('turns: turns 0, at least 1 is asked for');
  });
});

describe('rows that read the same', () => {
  it('stay once, whatever their ids, times and rewards', () => {
    const other = withCalls([call('{"command":"ls"}', 'terminal', 'x7')], [result('x7', 'terminal', 'a b')], {
      sessionId: 'other',
      startedAt: 5,
      rewards: [],
    });
    const different = withCalls([LS], [result('c1', 'terminal', 'a c')]);
    expect(dropped([good(), other, different], { dedupe: true })).toEqual([
      null,
      'dedupe: reads the same as an earlier row',
      null,
    ]);
  });

  it('do not count where the first was dropped for another reason', () => {
    expect(dropped([good({ rewards: [reward(0)] }), good()], { dedupe: true, minReward: 1 })[1]).toBeNull();
  });
});

describe('compressed rows', () => {
  const long = episode('long', [
    timeStep([user('Find it'), assistant('', [LS]), result('c1', 'terminal', 'x'.repeat(900))], [TERMINAL]),
    ...Array.from({ length: 6 }, () =>
      timeStep([assistant('', [LS]), result('c1', 'terminal', 'x'.repeat(900))]),
    ),
    timeStep([assistant('Here.')]),
  ]);
  const count = (text: string): number => Math.ceil(text.length / 3);
  const compress = async () =>
    (
      await compressEpisode(long, {
        targetTokens: 1_800,
        summaryTokens: 200,
        count,
        summariser: extractiveSummariser(count),
      })
    ).episode;

  it('pass with all that they had to keep', async () => expect(verdict(await compress())).toBeNull());

  it.each([
    [
      'the end',
      (row: Episode) => without(row, row.trajectory.timesteps.length - 1),
      'compression: key turn 8 is missing',
    ],
    ['the task', (row: Episode) => relabelled(row, 'notice'), 'compression: the initial task is missing'],
  ])('go where %s is gone', async (_title, spoil, reason) => {
    expect(verdict(spoil(await compress()))).toBe(reason);
  });

  /** As another tool might have cut it, which keeps its books. */
  function without(row: Episode, at: number): Episode {
    const { compressed, trajectory, turns } = row;
    const left = <T>(list: readonly T[]): T[] => list.filter((_, index) => index !== at);
    return {
      ...row,
      trajectory: { ...trajectory, timesteps: left(trajectory.timesteps) },
      turns: left(turns),
      compressed: compressed && { ...compressed, keptTurns: left(compressed.keptTurns) },
    };
  }
  function relabelled(row: Episode, label: string): Episode {
    const copy = structuredClone(row);
    for (const { chats } of copy.trajectory.timesteps)
      for (const { messages } of chats)
        for (const message of messages)
          if (message.content === 'Find it') Object.assign(message, { role: 'system', label });
    return copy;
  }
});

describe('counting', () => {
  it('says what each filter took in its turn, and what it would have taken alone', () => {
    const chain = new FilterChain(
      chooseFilters({ ...DEFAULT_FILTER, minReward: 1, minTurns: 3, dedupe: true }),
    );
    for (const row of [good(), good({ rewards: [reward(0)] }), good(ended('max_turns'))]) chain.check(row);
    expect(chain.counts).toEqual([
      { name: 'complete', took: 1, alone: 1 },
      { name: 'calls', took: 0, alone: 0 },
      { name: 'compression', took: 0, alone: 0 },
      { name: 'reward', took: 1, alone: 1 },
      { name: 'turns', took: 1, alone: 3 },
      { name: 'dedupe', took: 0, alone: null },
    ]);
  });
});

describe('a sample', () => {
  it('is the same for the same seed, and draws every row equally often', () => {
    const draw = (seed: number) => {
      const reservoir = new Reservoir(3, seed);
      for (let i = 0; i < 10; i += 1) reservoir.pass();
      return [...reservoir.result()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const times = new Array(10).fill(0);
    for (let seed = 0; seed < 4_000; seed += 1) for (const index of draw(seed)) times[index] += 1;
    for (const n of times) expect(Math.abs(n - 1_200)).toBeLessThan(150);
  });

  it('is all there is where less is there', () => {
    const reservoir = new Reservoir(5, 1);
    reservoir.pass();
    expect([...reservoir.result()]).toEqual([0]);
  });
});
