import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  AREEvaluatedTrajectory,
  areEvaluatedTrajectorySchema,
} from '../../src/core/trajectory/are-evaluated.schema.js';
import { trajectorySchema } from '../../src/core/trajectory/trajectory.schema.js';
import { toWire } from '../../src/store/wire/wire.js';
import { assistant, calling, observation, PARTS_MESSAGE, system, user } from '../core/trajectory/fixtures.js';
import { longrun } from './support/longrun.js';

async function validatorOf(kind: string) {
  const { code, json } = await longrun(['schema', 'trajectory', '--kind', kind]);
  expect(code).toBe(0);
  return { schema: json(), accepts: new Ajv2020({ allowUnionTypes: true }).compile(json()) };
}

const messages = [system(), user(), calling(), observation(), PARTS_MESSAGE, assistant()];
const trajectory = trajectorySchema.parse({
  timesteps: [
    { chats: [{ messages }], reward: 0.5, done: true, availableToolSchemas: [{ type: 'function' }] },
  ],
  resetKwargs: { anyKey: { inThere: 1 } },
});
const errorInfo = { errorType: 'provision_error', message: 'm', traceback: '' };
// biome-ignore lint/suspicious/noExplicitAny: JSON as it stands on disk.
const wire: any = toWire(trajectorySchema, trajectory);

it('prints the JSON Schema of longrun.yaml for editors', async () => {
  const { code, json } = await longrun(['schema', 'config']);
  expect(code).toBe(0);
  expect(json()).toMatchObject({ title: 'longrun.yaml', properties: { samples: { minimum: 1 } } });
});

describe('the JSON Schema of trajectory.json', () => {
  it('is what `longrun schema trajectory` prints, in the names on disk', async () => {
    const { json } = await longrun(['schema', 'trajectory']);
    const { schema, accepts } = await validatorOf('trajectory');
    expect(json()).toEqual(schema);
    expect(schema).toMatchObject({ title: 'Trajectory', required: ['timesteps'] });
    expect(JSON.stringify(schema)).not.toMatch(/mcReturn|toolCallId|imageUrl/);
    expect(accepts(wire), JSON.stringify(accepts.errors)).toBe(true);
    const failed = toWire(trajectorySchema, { ...trajectory, timesteps: [], errorInfo });
    expect(accepts(failed), JSON.stringify(accepts.errors)).toBe(true);
  });

  it('refuses what longrun refuses', async () => {
    const { accepts } = await validatorOf('trajectory');
    const step = wire.timesteps[0];
    const broken = {
      'no chats': { ...wire, timesteps: [{ ...step, chats: [] }] },
      'string reward': { ...wire, timesteps: [{ ...step, reward: '0.5' }] },
      'error of another type': { ...wire, error_info: 'broken' },
      'neither steps nor error': { ...wire, timesteps: [] },
      'unknown role': { timesteps: [{ chats: [{ messages: [{ role: 'developer', content: 'x' }] }] }] },
      'another version': { ...wire, schema_version: 2 },
    };
    const accepted = Object.entries(broken).filter(([, value]) => accepts(value));
    expect(accepted.map(([name]) => name)).toEqual([]);
  });

  it('is there for evaluated trajectories and tasks too', async () => {
    const are = new AREEvaluatedTrajectory({
      ...trajectory,
      areEvaluation: {
        success: true,
        rationale: 'r',
        judgeModel: 'some/judge',
        oracleMatchingFailures: [],
        duration: 1.5,
      },
    });
    const areEvaluated = await validatorOf('are-evaluated');
    expect(areEvaluated.accepts(toWire(areEvaluatedTrajectorySchema, are))).toBe(true);
    expect(areEvaluated.accepts(wire)).toBe(false);
    const llmEvaluated = await validatorOf('llm-evaluated');
    expect(llmEvaluated.accepts({ ...wire, judge_response: { success: 1, notes: { a: [] } } })).toBe(true);
    expect(llmEvaluated.accepts({ ...wire, judge_response: { success: true } })).toBe(false);
    const task = await validatorOf('task');
    expect(task.accepts({ task_id: 't' })).toBe(true);
    expect(task.accepts({ inputs: {} })).toBe(false);
  });

  it('of an unknown kind is refused by name', async () => {
    const { code, stderr } = await longrun(['schema', 'trajectory', '--kind', 'video']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/video.*are-evaluated/s);
  });
});
