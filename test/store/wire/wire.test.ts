import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { taskSchema } from '../../../src/core/rollout/task.schema.js';
import { callRecordSchema, verdictSchema } from '../../../src/store/records/records.schema.js';
import { decodeRecord, encodeRecord, fromWire, toWire } from '../../../src/store/wire/wire.js';
import { toSnakeCase } from '../../../src/store/wire/wire-names.js';

const schema = z.object({
  schemaVersion: z.literal(1),
  costUsd: z.number().nullable(),
  byName: z.record(z.string(), z.object({ inputTokens: z.number() })),
  anyThing: z.unknown(),
  optionalPart: z.array(z.object({ oneThing: z.string() })).optional(),
  withDefault: z.number().default(7),
  eitherWay: z.union([z.number(), z.object({ minReward: z.number() })]),
  whichKind: z.discriminatedUnion('theKind', [
    z.object({ theKind: z.literal('aKind'), someValue: z.number() }),
    z.object({ theKind: z.literal('bKind'), otherValue: z.string() }),
  ]),
});
const value: z.infer<typeof schema> = {
  schemaVersion: 1,
  costUsd: null,
  byName: { keptAsIs: { inputTokens: 3 } },
  anyThing: { alsoKept: [{ innerName: 1 }] },
  optionalPart: [{ oneThing: 'x' }],
  withDefault: 1,
  eitherWay: { minReward: 0.5 },
  whichKind: { theKind: 'bKind', otherValue: 'y' },
};
const wire = {
  schema_version: 1,
  cost_usd: null,
  by_name: { keptAsIs: { input_tokens: 3 } },
  any_thing: { alsoKept: [{ innerName: 1 }] },
  optional_part: [{ one_thing: 'x' }],
  with_default: 1,
  either_way: { min_reward: 0.5 },
  which_kind: { the_kind: 'bKind', other_value: 'y' },
};
const asBytes = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json));

describe('records on disk', () => {
  it('have snake-case names, and data under its own names', () => {
    expect(toWire(schema, value)).toEqual(wire);
    expect(fromWire(schema, wire)).toEqual(value);
  });

  it('are JSON that ends in a newline, and read back the same', () => {
    const bytes = encodeRecord(schema, value);
    expect(new TextDecoder().decode(bytes)).toMatch(/^\{\n {2}"schema_version": 1,[\s\S]*\}\n$/);
    expect(decodeRecord(schema, bytes, 'x.json')).toEqual(value);
  });

  it('take defaults, leave out what is undefined and drop what they do not know', () => {
    const { with_default: _, optional_part: __, ...rest } = wire;
    expect(fromWire(schema, { ...rest, unheard_of: 1 })).toEqual({
      ...value,
      withDefault: 7,
      optionalPart: undefined,
    });
    expect(toWire(schema, { ...value, optionalPart: undefined })).not.toHaveProperty('optional_part');
  });

  it.each([
    ['costUsd', 'cost_usd'],
    ['schemaVersion', 'schema_version'],
    ['sha256', 'sha256'],
    ['passAt1', 'pass_at_1'],
    ['reward', 'reward'],
  ])('name %s is %s', (camel, snake) => expect(toSnakeCase(camel)).toBe(snake));

  it('survive any content: calls with every text and verdicts with every reward key', () => {
    // zod leaves `__proto__` out of records on purpose: it is no key that anything of ours would use.
    const name = fc.string().filter((text) => text !== '__proto__');
    const record = fc.record({
      message: fc.record({
        content: fc.string({ unit: 'binary' }),
        reasoning: fc.option(fc.string()),
        toolCalls: fc.array(fc.record({ id: fc.string(), name: fc.string(), arguments: fc.string() })),
      }),
      sentView: fc.option(fc.dictionary(name, fc.jsonValue())),
    });
    fc.assert(
      fc.property(record, (random) => {
        const call = { ...CALL, ...random };
        const back = decodeRecord(callRecordSchema, encodeRecord(callRecordSchema, call), 'k');
        expect(back).toEqual(JSON.parse(JSON.stringify(call)));
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.integer()), (rewards) => {
        const verdict = { ...VERDICT, rewards: JSON.parse(JSON.stringify(rewards)) };
        expect(decodeRecord(verdictSchema, encodeRecord(verdictSchema, verdict), 'k')).toEqual(verdict);
      }),
    );
  });
});

describe('broken records', () => {
  it.each([
    [{ ...wire, cost_usd: '3' }, /k\.json.*cost_usd: found "3"; .*number/],
    [
      { ...wire, by_name: { keptAsIs: { input_tokens: null } } },
      /by_name\.keptAsIs\.input_tokens: found null/,
    ],
    [{ ...wire, optional_part: [{ one_thing: 1 }] }, /optional_part\.0\.one_thing: found 1; .*string/],
    [{ ...wire, which_kind: { the_kind: 'aKind', some_value: 'no' } }, /which_kind.*found/],
    [{ ...wire, schema_version: undefined }, /schema_version: found nothing/],
    [[], /found \[\]; .*object/],
  ])('are named by place, path, found and accepted (%#)', (broken, message) => {
    expect(() => decodeRecord(schema, asBytes(broken), 'k.json')).toThrow(
      expect.objectContaining({ code: 'record_invalid', message: expect.stringMatching(message) }),
    );
  });

  it('that are not JSON, or cut off, are named', () => {
    expect(() => decodeRecord(schema, new TextEncoder().encode('{"a":'), 'k.json')).toThrow(
      /k\.json is not JSON/,
    );
    expect(() => decodeRecord(schema, Uint8Array.of(0xff, 0xfe), 'k.json')).toThrow(/k\.json is not JSON/);
  });

  it('of a newer longrun are refused by name, before anything else about them', () => {
    expect(() => decodeRecord(schema, asBytes({ schema_version: 2 }), 'k.json')).toThrow(
      expect.objectContaining({ code: 'record_newer', message: expect.stringContaining('schema_version 2') }),
    );
  });

  it('are never written: not a number is not a reward', () => {
    expect(() => encodeRecord(verdictSchema, { ...VERDICT, reward: Number.NaN })).toThrow(
      expect.objectContaining({ code: 'record_invalid', message: expect.stringContaining('NaN') }),
    );
  });
});

describe('a task', () => {
  it('keeps the names of its environment variables and reward keys', () => {
    const found = toWire(taskSchema, TASK) as {
      metadata: { sandbox: unknown };
      eval_criteria: { steps: unknown[] };
    };
    expect(found.metadata.sandbox).toMatchObject({
      image: { kind: 'image' },
      env: { myVar: 'x' },
      memory_mb: null,
    });
    expect(found.eval_criteria.steps[0]).toMatchObject({
      min_reward: { testReward: 1 },
      agent_timeout_ms: null,
    });
    expect(fromWire(taskSchema, found)).toEqual(TASK);
  });
});

const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 2 };
const CALL: z.infer<typeof callRecordSchema> = {
  schemaVersion: 1,
  callId: 'c',
  model: 'm',
  requestId: null,
  finishReason: 'stop',
  message: { content: '', reasoning: null, toolCalls: [] },
  usage,
  costUsd: 0.1,
  latencyMs: 5,
  startedAt: 1,
  promptTokenIds: null,
  completionTokenIds: [1, 2],
  logprobs: null,
  sentView: null,
  parsed: null,
  sequenceId: null,
  policyVersion: null,
  rendering: null,
};
const VERDICT: z.infer<typeof verdictSchema> = {
  schemaVersion: 1,
  step: 'main',
  reward: 1,
  rewards: {},
  isolation: 'shared',
  failure: null,
  stopReason: null,
  suspectedTampering: [],
  trusted: [],
  testOutput: '',
  durationMs: 1,
  verifiedAt: 1,
};
const blob = { sha256: 'a'.repeat(64), bytes: 1 };
const TASK: z.infer<typeof taskSchema> = {
  schemaVersion: 1,
  taskId: 't',
  inputs: { instruction: 'do' },
  evalCriteria: {
    stepReward: 'mean',
    steps: [
      {
        name: 'main',
        instruction: 'do',
        agentTimeoutMs: null,
        agentUser: null,
        verifier: {
          isolation: 'separate',
          timeoutMs: 1,
          user: null,
          env: {},
          sandbox: null,
          collect: [],
          tests: blob,
        },
        minReward: { testReward: 1 },
        healthcheck: null,
        artifacts: [],
        workdirFiles: null,
        solution: blob,
        solutionEnv: {},
      },
    ],
  },
  metadata: {
    sandbox: {
      image: { kind: 'image', name: 'debian' },
      cpus: null,
      memoryMb: null,
      storageMb: null,
      network: 'none',
      env: { myVar: 'x' },
      workdir: null,
      healthcheck: null,
    },
    category: null,
    difficulty: null,
    source: { kind: 'builtin', path: 'p', name: null, digest: 'd' },
    tags: [],
  },
};
