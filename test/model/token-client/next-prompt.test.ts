import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SamplingTokenizer } from '../../../src/core/model/chat-tokenizer.js';
import type { ChatMessage, ToolSchema } from '../../../src/core/model/messages.js';
import type { SampledBefore } from '../../../src/model/model-client.js';
import { ownTokenizerFiles } from '../../../src/model/policy-server/index.js';
import { SpellingSampler } from '../../../src/model/policy-server/sampler.js';
import { nextPrompt } from '../../../src/model/token-client/next-prompt.js';
import { tokenizerOf } from '../../../src/model/tokenizer/open-tokenizer.js';

const tokenizer = tokenizerOf(ownTokenizerFiles());
const sampler = new SpellingSampler(tokenizer);
const END = [...tokenizer.stopIds];
const TOOLS: ToolSchema[] = [{ name: 'terminal', description: 'Runs.', parameters: { type: 'object' } }];
const OPENING: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Count the files.' },
];

/** A tokenizer of the same ids with another chat template. */
const withTemplate = (change: (template: string) => string): SamplingTokenizer => {
  const files = ownTokenizerFiles();
  return tokenizerOf({ ...files, template: change(files.template as string) });
};

interface Turn {
  answer: Extract<ChatMessage, { role: 'assistant' }>;
  results: ChatMessage[];
  spelling: number;
  cut: boolean;
}

/** Plays turns as a client does: each prompt from the turn before, each answer in a spelling of its own. */
function play(turns: readonly Turn[], using: SamplingTokenizer = tokenizer) {
  const messages = [...OPENING];
  let before: SampledBefore | null = null;
  return turns.map(({ answer, results, spelling, cut }) => {
    const prompt = nextPrompt(using, { messages, tools: TOOLS }, before, 0);
    const written = using.render([...templates(messages), ...templates([answer])], {
      ...{ tools: [], generationPrompt: false, now: 0 },
    });
    const said = written
      .slice(written.lastIndexOf('assistant\n') + 'assistant\n'.length)
      .replace(/<\|im_end\|>\n$/, '');
    const sampled = sampler.sample(said, {
      prompt: prompt.ids,
      seed: spelling,
      temperature: 1,
      weights: 0,
      usualBias: 0,
    });
    const completionTokenIds = [...sampled.map(({ id }) => id), ...(cut ? [] : END)];
    const sent = before;
    before = { promptTokenIds: prompt.ids, completionTokenIds, rendering: prompt.rendering };
    messages.push(answer, ...results);
    return { ...prompt, sent };
  });
}

const templates = (messages: readonly ChatMessage[]) =>
  messages.map((message) =>
    message.role === 'assistant'
      ? {
          ...{ role: 'assistant', content: message.content },
          ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
          tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({
            ...{ id, type: 'function', function: { name, arguments: JSON.parse(args) } },
          })),
        }
      : { role: message.role, content: message.content },
  );

const text = fc.string({ unit: fc.constantFrom(...'ab "\\\n{}<é漢🦀', 'terminal ', 'file'), maxLength: 20 });
const turn: fc.Arbitrary<Turn> = fc
  .record({
    content: text,
    thoughts: fc.option(text),
    command: fc.option(text),
    spelling: fc.nat(),
    cut: fc.boolean(),
  })
  .map(({ content, thoughts, command, spelling, cut }) => ({
    answer: {
      ...{ role: 'assistant' as const, content, reasoning: thoughts },
      toolCalls:
        command === null ? [] : [{ id: 'c', name: 'terminal', arguments: JSON.stringify({ command }) }],
    },
    results:
      command === null
        ? [{ role: 'user' as const, content: 'Call a tool.' }]
        : [{ role: 'tool' as const, content: `ran ${command}`, toolCallId: 'c', name: 'terminal' }],
    spelling,
    cut,
  }));

const startsWith = (ids: readonly number[], prefix: readonly number[]) =>
  prefix.every((id, i) => ids[i] === id);
const turns = fc.array(turn, { minLength: 2, maxLength: 5 });

describe('the ids of the next prompt', () => {
  it('go on from the ids that were sent and sampled, however an answer was spelled, and read as the template writes', () => {
    fc.assert(
      fc.property(turns, (played) => {
        const messages = [...OPENING];
        for (const [i, { ids, rendering, sent }] of play(played).entries()) {
          expect(rendering).toMatchObject({ continued: i > 0, rewritten: null });
          if (sent !== null)
            expect(startsWith(ids, [...sent.promptTokenIds, ...sent.completionTokenIds])).toBe(true);
          const whole = tokenizer.render(templates(messages), {
            tools: templateTools,
            generationPrompt: true,
            now: 0,
          });
          expect(tokenizer.decode(ids)).toBe(whole);
          messages.push((played[i] as Turn).answer, ...(played[i] as Turn).results);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are rendered anew where the template drops the thoughts of earlier answers, and say so', () => {
    const forgetful = withTemplate((template) =>
      template.replace('if message.reasoning_content', 'if message.reasoning_content and loop.last'),
    );
    fc.assert(
      fc.property(turns, (played) => {
        for (const [i, { ids, rendering, sent }] of play(played, forgetful).entries()) {
          if (i === 0) continue;
          const thoughts = played[i - 1]?.answer.reasoning;
          expect(rendering.continued).toBe(!thoughts);
          expect(rendering.rewritten === null).toBe(rendering.continued);
          const before = [...(sent?.promptTokenIds ?? []), ...(sent?.completionTokenIds ?? [])];
          if (!rendering.continued) expect(startsWith(ids, before)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  const [first, second] = fc.sample(turn, { seed: 7, numRuns: 2 }) as [Turn, Turn];
  const again = (change: (before: SampledBefore) => SampledBefore, using = tokenizer) => {
    const [{ ids, rendering }] = play([first], using) as [ReturnType<typeof play>[0]];
    const before = { promptTokenIds: ids, completionTokenIds: END, rendering };
    const messages = [...OPENING, second.answer, ...second.results];
    return nextPrompt(using, { messages, tools: TOOLS }, change(before), 0).rendering;
  };

  it.each([
    [
      'what stood before the answer was changed',
      (before: SampledBefore) => ({ ...before, rendering: { ...before.rendering, textDigest: '0' } }),
    ],
    [
      'another tokenizer',
      (before: SampledBefore) => ({ ...before, rendering: { ...before.rendering, tokenizer: 'other' } }),
    ],
  ])('are rendered anew where %s', (reason, change) => {
    expect(again(change)).toMatchObject({ continued: false, rewritten: expect.stringContaining(reason) });
  });

  it('keep the date that the first prompt of the rollout was written with', () => {
    const dated = withTemplate((template) => `{{ strftime_now("%d %B %Y") }}\n${template}`);
    const day = 86_400_000;
    const [prompt] = play([first], dated) as [ReturnType<typeof play>[0]];
    const before = { promptTokenIds: prompt.ids, completionTokenIds: END, rendering: prompt.rendering };
    const messages = [...OPENING, first.answer, ...first.results];
    const next = nextPrompt(dated, { messages, tools: TOOLS }, before, 40 * day);
    expect(next.rendering.now).toBe(0);
    expect(next.rendering.rewritten).toBeNull();
  });
});

const templateTools = TOOLS.map((schema) => ({ type: 'function', function: { ...schema } }));
