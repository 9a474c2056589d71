import { describe, expect, it } from 'vitest';
import { readReward } from '../../../src/tasks/harbor/reward.js';

describe('a reward is read as the tests wrote it', () => {
  const READ: [json: string | null, text: string | null, reward: number, rewards: Record<string, number>][] =
    [
      [null, '1', 1, { reward: 1 }],
      [null, ' 0.25\n', 0.25, { reward: 0.25 }],
      [null, '-1.5e-3\n', -0.0015, { reward: -0.0015 }],
      [null, '0', 0, { reward: 0 }],
      [null, '.5', 0.5, { reward: 0.5 }],
      ['{"reward": 0.5}', '1', 0.5, { reward: 0.5 }],
      ['{"score": 0.75}', null, 0.75, { score: 0.75 }],
      ['{"reward": 1, "speed": 3, "style": 0.5}', null, 1, { reward: 1, speed: 3, style: 0.5 }],
    ];
  it.each(READ)('json %s, text %s', (json, text, reward, rewards) => {
    expect(readReward({ json, text })).toEqual({ ok: true, reward, rewards });
  });
});

describe('a reward that is missing or malformed is a failure that says what was found, never 0', () => {
  const FAILED: [json: string | null, text: string | null, message: string][] = [
    [null, null, 'wrote neither reward.json nor reward.txt'],
    [null, '', 'reward.txt is empty'],
    ['', '1', 'reward.json is empty'],
    [null, 'nan', 'reward.txt holds nan, not a finite number'],
    [null, 'inf', 'reward.txt holds inf'],
    [null, '1e999', 'reward.txt holds 1e999'],
    [null, '1e308', 'reward.txt holds 1e308, more than'],
    [null, '-1e16', 'reward.txt holds -1e16, more than'],
    ['{"reward": 1, "speed": 1e300}', null, 'speed is 1e+300, more than'],
    [null, '1 passed', 'reward.txt holds 1 passed'],
    [null, '0x1', 'reward.txt holds 0x1'],
    [null, '1\n0', 'reward.txt holds "1\\n0"'],
    ['{"reward": NaN}', '1', 'reward.json is not JSON'],
    ['not json', '1', 'reward.json is not JSON: not json'],
    ['1', null, 'reward.json holds 1, not a table of numbers'],
    ['[1]', null, 'reward.json holds [1]'],
    ['null', null, 'reward.json holds null'],
    ['{}', null, 'reward.json has no keys'],
    ['{"reward": "1"}', null, 'reward is "1", not a finite number'],
    ['{"reward": true}', null, 'reward is true'],
    ['{"reward": 1e999}', null, 'reward is null'],
    ['{"reward": {"a": 1}}', null, 'reward is {"a":1}'],
    ['{"a": 1, "b": 0}', null, 'has the keys a, b and none is called reward'],
    [null, '\u001b[31mred', 'reward.txt holds "\\u001b[31mred"'],
  ];
  it.each(FAILED)('json %s, text %s', (json, text, message) => {
    const reading = readReward({ json, text });
    expect(reading).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });
});
