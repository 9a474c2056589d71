import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Prefix } from '../../src/formats/prefix.js';
import { Float, pythonJson, pythonJsonPieces } from '../../src/formats/python-json.js';
import { trajectoryLine } from '../../src/formats/tinker/trajectory-line.js';
import type { TrainingMember } from '../../src/formats/tokens/training-group.js';

const TURNS = 100;
const IDS_PER_TURN = 500;

/** A rollout whose every prompt extends the one before. */
function longRollout(): TrainingMember {
  const ids = Array.from({ length: TURNS * IDS_PER_TURN }, (_, i) => 100_000 + i);
  const spans = Array.from({ length: TURNS }, (_, turn) => ({
    ...{ turn, start: turn * IDS_PER_TURN + 400, length: 100 },
    ...{ logprobs: null, sequenceId: null, policyVersion: null, masked: false },
  }));
  return { reward: 1, sequences: [{ ids, spans }] } as unknown as TrainingMember;
}

it('a trajectory of many turns is written piece by piece, and repeats no prompt in memory', () => {
  const row = trajectoryLine('group', longRollout());
  const whole = { written: 0, longest: 0 };
  for (const piece of pythonJsonPieces(row)) {
    whole.written += piece.length;
    whole.longest = Math.max(whole.longest, piece.length);
  }
  expect(whole.written).toBeGreaterThan(15_000_000);
  expect(whole.longest).toBeLessThan(100_000);
  const { transitions } = JSON.parse(pythonJson(row));
  expect(transitions).toHaveLength(TURNS);
  expect(transitions[2].ob).toEqual(Array.from({ length: 1_400 }, (_, i) => 100_000 + i));
  expect(transitions[2].ac[0]).toBe(101_400);
});

it('pieces make the same text as the whole', () => {
  const leaf = fc.oneof(
    fc.constantFrom(null, undefined, true, '', 'ü"', 1, -0.5),
    fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => new Float(value)),
    fc
      .tuple(fc.array(fc.nat(), { maxLength: 5 }), fc.nat(5))
      .map(([list, length]) => new Prefix(list, Math.min(length, list.length))),
    fc.constant(
      new Prefix(
        Array.from({ length: 20_000 }, (_, i) => i),
        16_384,
      ),
    ),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('table')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    table: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  }));
  fc.assert(
    fc.property(value, (any) => {
      expect([...pythonJsonPieces(any)].join('')).toBe(pythonJson(any));
    }),
  );
});
