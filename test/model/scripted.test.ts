import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssistantMessage, ChatMessage } from '../../src/core/model/messages.js';
import type { ModelResponse } from '../../src/model/model-client.js';
import { ModelRegistry } from '../../src/model/registry.js';
import { nextAnswer } from '../../src/model/scripted/next-answer.js';
import type { ScriptedTurn, TaskScript } from '../../src/model/scripted/script.js';
import { modelConfig, modelRequest, NEVER, rejection } from './fixtures.js';

const say = (variant: string): ScriptedTurn[] => [
  { reasoning: 'Hm.', toolCalls: [{ name: 'terminal', arguments: { command: `echo ${variant}` } }] },
  { toolCalls: [{ name: 'terminal', arguments: '{"command": broken' }] },
  { content: 'Only words.' },
  { content: 'The end.', toolCalls: [{ name: 'finish', arguments: {} }] },
];
const SCRIPT: TaskScript = {
  recognise: 'count the ships',
  variants: { solves: say('solves'), fails: say('fails'), partly: say('partly') },
};
const TOOLS = [{ name: 'terminal', description: 'Runs.', parameters: {} }];

let models: ModelRegistry;
beforeAll(() => {
  models = new ModelRegistry({ scripts: [SCRIPT], env: {} });
});
afterAll(() => models.close());

const TASK: ChatMessage = { role: 'user', content: 'Please count the ships in the harbour.' };

function ask(model: string, messages: ChatMessage[], seed: number | null = null): Promise<ModelResponse> {
  const client = models.client(modelConfig({ model }));
  return client.complete(modelRequest({ model, messages, seed, tools: TOOLS }), NEVER);
}

/** The messages of a turn whose every call was answered. */
function turn({ message }: ModelResponse): ChatMessage[] {
  const results = message.toolCalls.map(
    (call): ChatMessage => ({ role: 'tool', content: 'ok', toolCallId: call.id, name: call.name }),
  );
  return [message, ...results];
}

async function play(model: string, task: ChatMessage, turns: number, seed: number | null = null) {
  const messages = [task];
  const answers: AssistantMessage[] = [];
  for (let index = 0; index < turns; index++) {
    const response = await ask(model, messages, seed);
    answers.push(response.message);
    messages.push(...turn(response));
  }
  return answers;
}

const variantOf = (message: AssistantMessage | undefined) =>
  JSON.parse(message?.toolCalls[0]?.arguments ?? '{}').command?.replace('echo ', '');

describe('a scripted model', () => {
  it('answers turn after turn over HTTP, through the real client', async () => {
    const answers = await play('scripted/solver', TASK, 5);
    expect(answers.map((answer) => answer.toolCalls.map((call) => call.name))).toEqual([
      ['terminal'],
      ['terminal'],
      [],
      ['finish'],
      ['finish'],
    ]);
    expect(answers[0]).toMatchObject({ reasoning: 'Hm.', content: '' });
    expect(answers[1]?.toolCalls[0]?.arguments).toBe('{"command": broken');
    expect(answers[2]?.content).toBe('Only words.');
    const ids = answers.flatMap((answer) => answer.toolCalls.map((call) => call.id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('knows its turn when older turns are no longer sent', async () => {
    const first = await ask('scripted/solver', [TASK]);
    const second = await ask('scripted/solver', [TASK, ...turn(first)]);
    const third = await ask('scripted/solver', [TASK, ...turn(second)]);
    expect(third.message.content).toBe('Only words.');
    const correction: ChatMessage = { role: 'user', content: 'Call a tool.' };
    const fourth = await ask('scripted/solver', [TASK, ...turn(second), third.message, correction]);
    expect(fourth.message.content).toBe('The end.');
  });

  it('answers the same request with the same answer, usage included', async () => {
    const { latencyMs: _one, ...first } = await ask('scripted/demo', [TASK], 3);
    const { latencyMs: _two, ...again } = await ask('scripted/demo', [TASK], 3);
    expect(again).toEqual(first);
    expect(first.usage.promptTokens).toBeGreaterThan(10);
    expect(first.usage.completionTokens).toBeGreaterThan(5);
    expect(first.costUsd).toBe(0);
    expect(first.requestId).toMatch(/^req_/);
  });

  it('counts what it has seen before as cached', async () => {
    const first = await ask('scripted/solver', [TASK]);
    const second = await ask('scripted/solver', [TASK, ...turn(first)]);
    expect(first.usage.cachedTokens).toBe(0);
    expect(second.usage.cachedTokens).toBeGreaterThan(first.usage.promptTokens);
    expect(second.usage.cachedTokens).toBeLessThan(second.usage.promptTokens);
  });

  it.each([
    ['scripted/solver', 'solves'],
    ['scripted/failing', 'fails'],
    ['scripted/partly', 'partly'],
  ])('named %s always plays %s', async (model, variant) => {
    for (const seed of [0, 1, 2]) expect(variantOf((await play(model, TASK, 1, seed))[0])).toBe(variant);
  });

  it('named demo solves most, fails some and leaves some half done, by seed', async () => {
    const seeds = Array.from({ length: 60 }, (_, seed) => seed);
    const drawn = await Promise.all(seeds.map((seed) => ask('scripted/demo', [TASK], seed)));
    const count = (variant: string) => drawn.filter(({ message }) => variantOf(message) === variant).length;
    expect(count('solves')).toBeGreaterThan(24);
    expect(count('fails')).toBeGreaterThan(4);
    expect(count('partly')).toBeGreaterThan(4);
    expect(count('solves') + count('fails') + count('partly')).toBe(60);
  });

  it('looks around and finishes where no script is for the task', async () => {
    const answers = await play('scripted/demo', { role: 'user', content: 'Something else' }, 4);
    expect(answers.at(-1)?.toolCalls[0]?.name).toBe('finish');
  });

  it('named turns-3 makes three turns with a command each and ends in the third', async () => {
    const answers = await play('scripted/turns-3', { role: 'user', content: 'Anything' }, 3);
    expect(answers.map((answer) => answer.toolCalls.map((call) => call.name))).toEqual([
      ['terminal'],
      ['terminal'],
      ['terminal', 'finish'],
    ]);
  });

  it.each([
    ['scripted/turns-5-delay-200ms', 200],
    ['scripted/demo-delay-1500ms', 1_500],
    ['scripted/turns-5', 0],
  ])('named %s waits %i ms before it answers', (model, delayMs) => {
    const request = { model, messages: [{ role: 'user', content: 'x' }], tools: TOOLS };
    expect(nextAnswer(request, []).delayMs).toBe(delayMs);
  });

  it('with a delay answers as it does without', async () => {
    const slow = await ask('scripted/turns-1-delay-1ms', [TASK]);
    expect(slow.message).toEqual((await ask('scripted/turns-1', [TASK])).message);
  });

  it('writes a summary where no tools are offered', async () => {
    const client = models.client(modelConfig({ model: 'scripted/demo' }));
    const response = await client.complete(modelRequest({ model: 'scripted/demo' }), NEVER);
    expect(response.message).toMatchObject({ content: 'A summary of 2 messages.', toolCalls: [] });
  });

  it.each(['scripted/nobody', 'scripted/turns-0', 'scripted/turns-', 'scripted/demo-delay-1s'])(
    'named %s does not exist',
    async (model) => {
      const error = await rejection(Promise.resolve().then(() => models.client(modelConfig({ model }))));
      expect(error).toMatchObject({ code: 'model_unknown', exitCode: 2 });
      expect(error.hint).toContain('scripted/turns-<n>');
    },
  );

  it('is refused by the server itself when its name is wrong', async () => {
    const client = models.client(modelConfig({ model: 'scripted/solver' }));
    const error = await rejection(
      client.complete(modelRequest({ model: 'scripted/x', tools: TOOLS }), NEVER),
    );
    expect(error).toMatchObject({ code: 'model_unknown' });
    expect(error.message).toContain('There are scripted/demo');
  });
});
