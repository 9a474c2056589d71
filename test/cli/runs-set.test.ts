import { describe, expect, it, onTestFinished } from 'vitest';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { completes, ModelServer, type SeenCall } from '../support/model-server.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

const usage = { prompt_tokens: 1_500, completion_tokens: 500 };
/** Three turns of 2,000 tokens. */
const script = ({ turn }: SeenCall) =>
  turn < 2
    ? completes({ calls: [{ name: 'terminal', arguments: { command: 'echo one > /app/answer' } }], usage })
    : completes({ content: 'Done.', usage });

async function setUp() {
  const [LONGRUN_HOME, tasks] = await Promise.all([temporaryStateDir(), temporaryFolder()]);
  onTestFinished(async () => void (await stopServer(LONGRUN_HOME)));
  const server = await ModelServer.start(script);
  onTestFinished(() => server.close());
  writeTask(tasks, 'one');
  const evaluate = ['evaluate', tasks, '--model', 'test-model', '--base-url', server.baseUrl];
  const how = ['--sandbox', 'memory', '--run-id', 'capped', '--samples', '4', '--concurrency', '1'];
  return { env: { LONGRUN_HOME }, server, evaluate: [...evaluate, ...how, '--max-tokens', '500'] };
}

describe('a run whose budget is spent', () => {
  it('says so where it is watched, and goes on when it is raised', {
    timeout: 180_000,
  }, async () => {
    const { env, server, evaluate } = await setUp();
    const first = startLongrun([...evaluate, '--budget-tokens', '9000'], env);
    await first.says('Run capped is paused: its budget of 9,000 tokens leaves no room for a call');
    expect(await first.ended).toBe(1);
    expect(first.output.stderr).toContain('longrun runs set capped --budget-tokens 18000');
    expect(first.output.stderr).toContain('longrun runs resume capped');
    expect(server.seen.length).toBeLessThanOrEqual(4);

    // Nothing runs now: the reason is known all the same, by whoever starts a server to look.
    const set = await longrun(['runs', 'set', 'capped', '--budget-tokens', '100000', '--json'], env);
    expect(set.json()).toMatchObject({
      run_id: 'capped',
      limits: { budget_tokens: 100_000, concurrency: 1 },
      was: 'paused',
      was_paused_by: 'token_budget',
    });
    const resumed = await longrun(['runs', 'resume', 'capped', '--json'], env);
    expect(resumed.code).toBe(0);
    expect(resumed.json().run).toMatchObject({ status: 'finished', config: { budget_tokens: 100_000 } });
    expect(resumed.json().summary).toMatchObject({ n_rollouts: 4, n_open: 0 });
  });
});

describe('bad input of runs set', () => {
  const refused = async (argv: string[], env: NodeJS.ProcessEnv) => {
    const { code, json } = await longrun(['runs', 'set', ...argv, '--json'], env);
    return { code, ...json().error };
  };

  it('is refused by name, and changes nothing', { timeout: 120_000 }, async () => {
    const { env, evaluate } = await setUp();
    expect(await refused(['nobody', '--budget-usd', '5'], env)).toMatchObject({ code: 'not_found' });
    const run = await longrun([...evaluate, '--json'], env);
    expect(run.code).toBe(0);
    const finished = await refused(['capped', '--concurrency', '5'], env);
    expect(finished).toMatchObject({ code: 'not_found', message: expect.stringContaining('finished') });
    const nothing = await refused(['capped'], env);
    expect(nothing.message).toContain('nothing to set');
    const numbers = await refused(['capped', '--budget-usd', 'ten', '--priority', '9'], env);
    expect(numbers.message).toContain('--budget-usd: found "ten", accepted: a number above 0');
    expect(numbers.message).toContain('--priority: found "9", accepted: a whole number from 1 to 5');
  });

  it('a budget in dollars for a model without a price', async () => {
    const { env, evaluate } = await setUp();
    const { code, json } = await longrun([...evaluate, '--rollout-budget-usd', '1', '--json'], env);
    expect(code).toBe(2);
    expect(json().error.message).toContain('the price of test-model is not known');
    expect(json().error.hint).toContain('prices');
  });
});
