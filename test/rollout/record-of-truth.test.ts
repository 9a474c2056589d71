import { expect, it } from 'vitest';
import type { ChatMessage } from '../../src/core/model/messages.js';
import type { TrajectoryMessage } from '../../src/core/trajectory/trajectory.schema.js';
import type { ModelRequest } from '../../src/model/model-client.js';
import { readRollout } from '../../src/records/read-rollout.js';
import { keys } from '../../src/store/keys.js';
import { tempStore } from '../store/temp-store.js';
import { modelOf, response } from '../support/rollout-deps.js';
import { KEY, planOne, wholeRollout } from './whole-rollout.js';

/** What a model is told of a message, wherever it is kept. */
function told(message: ChatMessage | TrajectoryMessage): unknown[] {
  switch (message.role) {
    case 'assistant': {
      const calls = message.toolCalls.map((call) =>
        'function' in call
          ? [call.id, call.function.name, call.function.arguments]
          : [call.id, call.name, call.arguments],
      );
      return ['assistant', message.content, message.reasoning, calls];
    }
    case 'tool':
      return ['tool', message.toolCallId, message.name, message.content];
    default:
      return [message.role, message.content, message.label];
  }
}

const sent = ({ messages }: ModelRequest): unknown[] => messages.map(told);

it('the recorded trajectory is the conversation that the model had: corrections, ids, order and all', async () => {
  const store = await tempStore();
  await planOne(store, { contextPolicy: 'stop' });
  const model = modelOf(({ turn }) => {
    if (turn === 0) return response({ content: '' });
    // An endpoint that hands out the same id each time.
    if (turn === 1 || turn === 2) return response({ run: `echo ${turn}` });
    if (turn === 3) return response({ content: '<tool_call>{"name": "terminal"</tool_call>' });
    return response({ content: 'Done.' });
  });
  await wholeRollout({ store, model });

  const { timesteps } = await readRollout(store, KEY);
  const byTurn = timesteps.map((step) => step.chats.flatMap((chat) => chat.messages));
  expect(model.requests).toHaveLength(5);
  expect(byTurn).toHaveLength(5);
  for (const [turn, request] of model.requests.entries()) {
    const before = byTurn.slice(0, turn).flat();
    const answer = byTurn[turn]?.findIndex(({ role }) => role === 'assistant');
    expect([...before, ...(byTurn[turn]?.slice(0, answer) ?? [])].map(told)).toEqual(sent(request));
  }
  expect(byTurn[1]?.[0]).toMatchObject({ role: 'user', label: 'correction' });
  expect(byTurn[4]?.[0]).toMatchObject({ role: 'user', label: 'correction' });
  const ids = byTurn.flat().flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
  expect(ids).toEqual(['call_0', 'call_2_0']);
});

it('an open rollout is shown with what its agent was told as well', async () => {
  const store = await tempStore();
  await planOne(store);
  const model = modelOf(({ turn }) =>
    turn === 0 ? response({ content: '' }) : response({ content: 'Done.' }),
  );
  await wholeRollout({ store, model });
  // As it is before the rollout ends.
  for (const key of [keys.result(KEY), keys.trajectory(KEY)]) await store.remove(key);

  const { timesteps } = await readRollout(store, KEY);
  const roles = timesteps.map((step) => step.chats[0]?.messages.map(({ role, label }) => label ?? role));
  expect(roles).toEqual([
    ['task', 'assistant'],
    ['correction', 'assistant'],
  ]);
});
