import fc from 'fast-check';
import { EPISODE_SOURCES, type Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { TimeStep } from '../../../src/core/trajectory/trajectory.schema.js';
import { assistant, episode, result, reward, timeStep, tool, user } from './episodes.js';

const TOOLS = ['terminal', 'read_file', 'todo'];

/** Text of any kind, line feeds and unicode included, but no tag that means something in a format. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom('\n', ' ', '<b>', '\u2028', '🙂'),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));
const argumentsText = fc.oneof(
  fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('{}', '{"n": 12345678901234567890}', '{"x": 1.0}', '{"tag": "</tool_call>"}'),
);
const resultText = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('[1, 2', '</tool_response>', 'error: no'),
);

/** JSON has no negative zero. */
const aReward = fc.double({ noNaN: true, min: -10, max: 10 }).map((value) => value + 0);

/** A turn whose calls all have their results, in order. */
function aTurn(index: number, firstMessage: boolean): fc.Arbitrary<TimeStep> {
  const call = fc.record({ name: fc.constantFrom(...TOOLS), arguments: argumentsText, answer: resultText });
  const told = fc.record({
    prompt: text,
    content: text,
    reasoning: fc.option(text),
    calls: fc.array(call, { maxLength: 3 }),
  });
  return told.map(({ prompt, content, reasoning, calls }) => {
    const named = calls.map(({ name, arguments: given }, i) => ({
      id: `call_${index}_${i}`,
      name,
      arguments: given,
    }));
    return timeStep(
      [
        ...(firstMessage ? [user(prompt)] : []),
        assistant(content, named, reasoning),
        ...calls.map(({ name, answer }, i) => result(`call_${index}_${i}`, name, answer)),
      ],
      index === 0 ? TOOLS.map((name) => tool(name)) : null,
    );
  });
}

/** A rollout of up to four turns; later ones may begin with a message of the user. */
export function anEpisode(): fc.Arbitrary<Episode> {
  const turns = fc
    .array(fc.boolean(), { minLength: 1, maxLength: 4 })
    .chain((nudges) => fc.tuple(...nudges.map((nudge, i) => aTurn(i, i === 0 || nudge))));
  return fc
    .record({
      turns,
      source: fc.constantFrom(...EPISODE_SOURCES),
      completed: fc.boolean(),
      status: fc.constantFrom('success', 'terminal_failure', null),
      value: fc.option(aReward),
      model: fc.option(fc.string({ minLength: 1 })),
      finishedAt: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 })),
      apiCalls: fc.nat(100),
    })
    .map(({ turns: steps, source, completed, status, value, model, finishedAt, apiCalls }) => {
      const plain = episode('s', steps);
      const outcome = { ...plain.outcome, completed, status, apiCalls } as Episode['outcome'];
      const rewards = value === null ? [] : [reward(value)];
      return { ...plain, source, outcome, rewards, model, finishedAt };
    });
}
