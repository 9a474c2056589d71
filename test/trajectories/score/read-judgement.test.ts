import { describe, expect, it } from 'vitest';
import { readJudgement } from '../../../src/trajectories/score/read-judgement.js';
import { BUILT_IN_RUBRIC, parseRubric, type Rubric } from '../../../src/trajectories/score/rubric.js';

const PLAIN: Rubric = { instructions: 'Be fair.', scale: [0, 1], criteria: [] };
const TEN: Rubric = { ...PLAIN, scale: [1, 10] };

const scoreOf = (text: string, rubric = PLAIN) => {
  const read = readJudgement(text, rubric);
  return typeof read === 'string' ? read : read.score;
};

describe('the answer of a judge', () => {
  it.each([
    ['a bare object', '{"score": 0.7, "rationale": "fine"}', 0.7],
    ['a fenced one after thoughts', 'Let me think {hm}.\n```json\n{"score": 0.4}\n```\nThat is all.', 0.4],
    ['the last of several', '{"score": 0.1}\nOn reflection:\n{"score": 0.9}', 0.9],
    ['a trailing comma', '{"score": 0.3, "rationale": "x",}', 0.3],
    ['single quotes', "{'score': 0.25, 'rationale': 'it\\'s ok'}", 0.25],
    ['a number in quotes', '{"score": "0.5"}', 0.5],
    ['a lone number', ' 0.75 \n', 0.75],
    ['an announced one', 'The rollout failed.\n**Score**: 0.2', 0.2],
    ['a raw line feed in the rationale', '{"rationale": "first\nsecond", "score": 1}', 1],
  ])('is read from %s', (_, text, score) => {
    expect(scoreOf(text)).toBe(score);
  });

  it.each([
    ['no score at all', 'I cannot judge this.', /holds no score/],
    ['a score beyond the scale', '{"score": 8}', /8 is outside of 0 to 1/],
    ['a share of something', 'Score: 0.85/1', /holds no score/],
    ['a word', '{"score": "good"}', /no number/],
    ['nothing', '', /holds no score/],
  ])('is refused with %s', (_, text, why) => {
    expect(scoreOf(text)).toMatch(why);
  });

  it('comes from the scale of its rubric to 0 to 1', () => {
    expect(scoreOf('{"score": 10}', TEN)).toBe(1);
    expect(scoreOf('{"score": 1}', TEN)).toBe(0);
    expect(scoreOf('{"score": 0}', TEN)).toMatch(/outside of 1 to 10/);
  });

  it('is the weighted mean of the criteria where the rubric has some', () => {
    const answer = {
      rationale: 'works',
      criteria: { outcome: 1, process: { score: 0.5, why: 'slow' }, honesty: '0' },
    };
    expect(readJudgement(JSON.stringify(answer), BUILT_IN_RUBRIC)).toEqual({
      score: (3 * 1 + 0.5 + 0) / 5,
      components: { outcome: 1, process: 0.5, honesty: 0 },
      rationale: 'works',
    });
    expect(scoreOf('{"outcome": 1, "process": 1, "honesty": 1, "criteria": null}', BUILT_IN_RUBRIC)).toBe(1);
    expect(scoreOf('{"criteria": {"outcome": 1}}', BUILT_IN_RUBRIC)).toBe('no score for process, honesty');
    expect(scoreOf('{"criteria": {"outcome": 1}, "score": 0.6}', BUILT_IN_RUBRIC)).toBe(0.6);
    expect(scoreOf('{"criteria": {"outcome": 7}}', BUILT_IN_RUBRIC)).toMatch(
      /outcome: the score 7 is outside/,
    );
  });

  it('costs no more time when it is long and broken', () => {
    expect(scoreOf(`${'{"score": '.repeat(20_000)}`)).toMatch(/holds no score|no number/);
  });
});

describe('a rubric file', () => {
  it('is Markdown as it stands, or YAML with criteria', () => {
    expect(parseRubric('# Be strict\n', 'rubric.md')).toEqual({ ...PLAIN, instructions: '# Be strict' });
    const yaml =
      'instructions: Judge.\nscale: [1, 5]\ncriteria:\n  - name: speed\n    description: Few turns.\n';
    expect(parseRubric(yaml, 'rubric.yaml')).toEqual({
      instructions: 'Judge.',
      scale: [1, 5],
      criteria: [{ name: 'speed', description: 'Few turns.', weight: 1 }],
    });
  });

  it.each([
    ['', 'r.md', /is empty/],
    ['criteria: []', 'r.yaml', /instructions/],
    ['instructions: x\nscale: [5, 1]', 'r.yaml', /least score before the greatest/],
    ['instructions: x\ncriteria: [{name: Speed, description: y}]', 'r.yml', /criteria\.0\.name: lower case/],
    ['instructions: x\nmood: good', 'r.yaml', /mood/],
    ['{', 'r.json', /is not YAML/],
  ])('that says %j is refused by what is wrong', (text, file, why) => {
    expect(() => parseRubric(text, file)).toThrow(why);
  });
});
