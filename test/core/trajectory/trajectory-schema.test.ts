import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { agogeTaskSchema } from '../../../src/core/trajectory/agoge-task.schema.js';
import { type Trajectory, trajectorySchema } from '../../../src/core/trajectory/trajectory.schema.js';
import { decodeRecord, encodeRecord, fromWire, toWire } from '../../../src/store/wire/wire.js';
import { assistant, PARTS_TRAJECTORY, user } from './fixtures.js';

const DEFAULTS = {
  reward: null,
  mcReturn: null,
  done: false,
  availableToolSchemas: null,
  advantage: null,
};
const wireOf = (content: unknown) => ({
  timesteps: [{ chats: [{ messages: [{ role: 'user', content }] }] }],
});

describe('a trajectory with the fewest fields', () => {
  it('has what agoge gives it', () => {
    const wire = {
      timesteps: [
        {
          chats: [
            {
              messages: [
                { role: 'user', content: 'Do it' },
                { role: 'assistant', content: 'Done.' },
              ],
            },
          ],
        },
      ],
    };
    const messages = [user(), assistant()];
    expect(fromWire(trajectorySchema, wire)).toEqual({
      timesteps: [
        { chats: [{ messages, logprobs: null, topTokens: null, tokenTopLogprobs: null }], ...DEFAULTS },
      ],
      resetKwargs: {},
      errorInfo: null,
      episodeId: null,
      schemaVersion: 1,
    });
  });

  it('of a task too: its dictionaries are empty, whatever stands in them is kept as it is', () => {
    expect(fromWire(agogeTaskSchema, { task_id: 't' })).toEqual({
      taskId: 't',
      inputs: {},
      evalCriteria: {},
      metadata: {},
    });
    const wire = { task_id: 't', inputs: { someKey: [1] }, eval_criteria: { a_b: { cD: 1 } }, metadata: {} };
    expect(toWire(agogeTaskSchema, fromWire(agogeTaskSchema, wire))).toEqual(wire);
  });
});

describe('content parts', () => {
  it('of every kind are written and read', () => {
    const wire = toWire(trajectorySchema, PARTS_TRAJECTORY);
    expect(JSON.stringify(wire)).toContain('{"type":"image_file","image_file":{"file_id":"file-1"}}');
    expect(fromWire(trajectorySchema, wire)).toMatchObject(PARTS_TRAJECTORY);
  });

  it.each([
    ['of an unknown kind', { type: 'video', video: 'a.mp4' }],
    ['without what the kind needs', { type: 'image_url', url: 'https://example.org/a.png' }],
  ])('%s are refused', (_, part) => {
    expect(() => fromWire(trajectorySchema, wireOf([part]), 'trajectory.json')).toThrow(
      /trajectory\.json is not valid: timesteps\.0\.chats\.0\.messages\.0\.content/,
    );
  });
});

describe('what is known only in memory', () => {
  it('is not written: the link to the trace of the last response', () => {
    const trajectory: Trajectory = {
      ...fromWire(trajectorySchema, wireOf('Do it')),
      traceLastResponseFlowId: 'flow-1',
    };
    const text = new TextDecoder().decode(encodeRecord(trajectorySchema, trajectory));
    expect(text).not.toMatch(/trace|flow/i);
  });
});

describe('a trajectory in memory', () => {
  it('cannot be changed', () => {
    const trajectory = fromWire(trajectorySchema, wireOf('Do it'));
    expect(() => Object.assign(trajectory, { episodeId: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(trajectory.timesteps[0] as object, { reward: 1 })).toThrow(TypeError);
    expect(() => Object.assign(trajectory.timesteps[0]?.chats[0] as object, { logprobs: [] })).toThrow(
      TypeError,
    );
  });
});

describe('a trajectory of another version', () => {
  const VERSION_0 = new URL('../../fixtures/trajectory-version-0.json', import.meta.url);

  it('0 is read as what it is today', async () => {
    const found = decodeRecord(trajectorySchema, await readFile(VERSION_0), 'trajectory.json');
    expect(found).toMatchObject({
      schemaVersion: 1,
      episodeId: null,
      errorInfo: { errorType: 'unknown', message: 'the connection broke', traceback: '' },
      resetKwargs: { task: { task_id: 'old' }, seed: 42 },
    });
    const roles = found.timesteps.map(({ chats }) => chats.map((chat) => chat.messages.map((m) => m.role)));
    expect(roles).toEqual([
      [['system', 'user', 'assistant', 'tool']],
      [['assistant'], ['user', 'assistant']],
    ]);
    expect(found.timesteps.map(({ reward, done }) => [reward, done])).toEqual([
      [null, false],
      [0.5, true],
    ]);
    expect(found.timesteps[0]?.chats[0]).toMatchObject({ logprobs: null, topTokens: null });
    expect(fromWire(trajectorySchema, toWire(trajectorySchema, found))).toEqual(found);
  });

  it('newer than ours is refused by name', () => {
    expect(() => fromWire(trajectorySchema, { ...wireOf('Do it'), schema_version: 2 }, 'a.json')).toThrow(
      'a.json has schema_version 2; this longrun reads up to 1',
    );
  });
});
