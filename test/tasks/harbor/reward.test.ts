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
  const FAILED: [json: string | null, text: string | null, message: string, retryable: boolean][] = [
    [null, null, 'wrote neither reward.json nor reward.txt', true],
    [null, '', 'reward.txt is empty', true],
    ['', '1', 'reward.json is empty', true],
    [null, 'nan', 'reward.txt holds nan, not a finite number', false],
    [null, 'inf', 'reward.txt holds inf', false],
    [null, '1e999', 'reward.txt holds 1e999', false],
    [null, '1 passed', 'reward.txt holds 1 passed', false],
    [null, '0x1', 'reward.txt holds 0x1', false],
    [null, '1\n0', 'reward.txt holds "1\\n0"', false],
    ['{"reward": NaN}', '1', 'reward.json is not JSON', false],
    ['not json', '1', 'reward.json is not JSON: not json', false],
    ['1', null, 'reward.json holds 1, not a table of numbers', false],
    ['[1]', null, 'reward.json holds [1]', false],
    ['null', null, 'reward.json holds null', false],
    ['{}', null, 'reward.json has no keys', false],
    ['{"reward": "1"}', null, 'reward is "1", not a finite number', false],
    ['{"reward": true}', null, 'reward is true', false],
    ['{"reward": 1e999}', null, 'reward is null', false],
    ['{"reward": {"a": 1}}', null, 'reward is {"a":1}', false],
    ['{"a": 1, "b": 0}', null, 'has the keys a, b and none is called reward', false],
    [null, '\u001b[31mred', 'reward.txt holds "\\u001b[31mred"', false],
  ];
  it.each(FAILED)('json %s, text %s', (json, text, message, retryable) => {
    const reading = readReward({ json, text });
    expect(reading).toMatchObject({ ok: false, retryable, message: expect.stringContaining(message) });
  });
});
