import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatTokenizer } from '../../src/core/model/chat-tokenizer.js';
import { strftime } from '../../src/core/text/strftime.js';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { atroposGroupFormat } from '../../src/formats/atropos-group/atropos-group.js';
import { pythonJson } from '../../src/formats/python-json.js';
import { tinkerFormat } from '../../src/formats/tinker/tinker.js';
import { episodeSequences } from '../../src/formats/tokens/episode-sequences.js';
import { tokenizeEpisode } from '../../src/formats/tokens/tokenize-episode.js';
import { tokenizing } from '../../src/formats/tokens/tokenizing.js';
import { openTokenizer } from '../../src/model/tokenizer/open-tokenizer.js';
import { exportContext } from '../formats/recorded-episode.js';
import { sampledEpisode, TWO_TURNS } from '../formats/tokens/sampled-episode.js';

const FOLDER = fileURLToPath(new URL('../fixtures/chat-tokenizer', import.meta.url));
const UNRECORDED = TWO_TURNS.map(() => ({ prompt: null, sampled: null }));
const unrecorded = (sample: number, value: number | null) => sampledEpisode(sample, value, UNRECORDED);

let tokenizer: ChatTokenizer;
beforeAll(async () => {
  tokenizer = await openTokenizer(FOLDER);
});

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true });
});

function tokenized(episode: Episode): Episode {
  const result = tokenizeEpisode(episode, tokenizer);
  expect(result.problem).toBeNull();
  return result.episode as Episode;
}

describe('an episode of which nobody recorded ids', () => {
  it('is tokenized as one sequence, its answers up to their end of turn as what is trained', () => {
    const episode = tokenized(unrecorded(0, 1));
    const [sequence, ...others] = episodeSequences(episode).sequences ?? [];
    expect(others).toEqual([]);
    const text = sequence?.spans.map(({ start, length }) => sequence.ids.slice(start, start + length));
    const said = [
      '\n<tool_call>\n{"name": "terminal", "arguments": {"command": "ls"}}\n</tool_call>',
      'Done.',
    ];
    expect(text).toEqual(said.map((answer) => tokenizer.encode(`${answer}<|im_end|>`)));
  });

  it('has the ids of the whole conversation as the model would be sent it', () => {
    const episode = tokenized(unrecorded(0, 1));
    const messages = [
      { role: 'user', content: 'List the files.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'terminal', arguments: { command: 'ls' } } },
        ],
      },
      { role: 'tool', content: 'a.txt', name: 'terminal' },
    ];
    const tools = episode.trajectory.timesteps[0]?.availableToolSchemas ?? [];
    const prompt = tokenizer.render(messages, { tools, generationPrompt: true, now: 0 });
    expect(episode.turns[1]?.promptTokenIds).toEqual(tokenizer.encode(prompt));
  });

  it('is marked with the tokenizer and has no log-probabilities', () => {
    const episode = tokenized(unrecorded(0, 1));
    expect(episode.tokenizedBy).toMatch(/^chat-tokenizer@sha256:[0-9a-f]{12}$/);
    expect(episode.turns.map(({ logprobs }) => logprobs)).toEqual([null, null]);
  });

  it('gives rows that need no log-probabilities, each marked', () => {
    const context = exportContext({ tokenize: FOLDER });
    const group = [unrecorded(0, 1), unrecorded(1, 0)];
    const [row] = tokenizing(atroposGroupFormat, tokenizer).rows(group, context).rows;
    const scored = JSON.parse(pythonJson(row?.value));
    expect(scored.inference_logprobs).toBeNull();
    expect(scored.overrides[0].tokenized_by).toBe(tokenizer.name);
    const { rows } = tokenizing(tinkerFormat, tokenizer).rows(group, context);
    const [, datum, meta] = rows.map(({ value }) => JSON.parse(pythonJson(value)));
    expect(Object.keys(datum.loss_fn_inputs)).toEqual(['target_tokens', 'weights']);
    expect(meta.tokenized_by).toBe(tokenizer.name);
  });

  it('keeps ids that were sampled', () => {
    const episode = sampledEpisode(0, 1);
    expect(tokenizeEpisode(episode, tokenizer).episode).toBe(episode);
  });

  it('is refused by name where it holds an image', () => {
    const episode = unrecorded(0, 1);
    const [first, ...rest] = episode.trajectory.timesteps;
    const image = { role: 'user', content: [{ type: 'image', image: 'a.png' }], label: null } as const;
    const chats = [{ ...first?.chats[0], messages: [image, ...(first?.chats[0]?.messages ?? [])] }] as never;
    const timesteps = [{ ...first, chats }, ...rest] as Episode['trajectory']['timesteps'];
    const withImage = { ...episode, trajectory: { ...episode.trajectory, timesteps } };
    const { refused } = tokenizing(tinkerFormat, tokenizer).rows([withImage], exportContext());
    expect(refused).toMatchObject([{ code: 'not_tokenizable' }]);
  });

  it('warns where the model was sent less than the whole conversation', () => {
    const episode = unrecorded(0, 1);
    const turns = episode.turns.map((turn, i) => (i === 0 ? turn : { ...turn, sentView: { firstTurn: 1 } }));
    const { warnings } = tokenizing(tinkerFormat, tokenizer).rows(
      [{ ...episode, turns }],
      exportContext({ tokenize: FOLDER }),
    );
    expect(warnings?.map(({ message }) => message)).toEqual([
      'from turn 2 on the model was sent a shortened conversation; its ids are of the whole one',
    ]);
  });
});

describe('a chat template', () => {
  async function folderWith(template: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'longrun-tokenizer-'));
    made.push(folder);
    await cp(FOLDER, folder, { recursive: true });
    await writeFile(join(folder, 'chat_template.jinja'), template);
    return folder;
  }

  it('that forgets earlier answers makes each turn a sequence of its own', async () => {
    const forgetful = await folderWith(
      "{% for m in messages %}{{ m.role + ': ' }}{{ '…' if m.role == 'assistant' and not loop.last else m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}",
    );
    const { episode } = tokenizeEpisode(unrecorded(0, 1), await openTokenizer(forgetful));
    const { sequences } = episodeSequences(episode as Episode);
    expect(sequences?.map(({ spans }) => spans.map(({ turn }) => turn))).toEqual([[0], [1]]);
  });

  it('that rewrites the prompt once it is answered is refused by name', async () => {
    const rewriting = await folderWith(
      "{% for m in messages %}{{ m.role + ': ' }}{{ m.content if loop.last else '…' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}",
    );
    const { problem } = tokenizeEpisode(unrecorded(0, 1), await openTokenizer(rewriting));
    expect(problem?.reason).toBe(
      'turn 1: with the answer the chat template renders another prompt than without it',
    );
  });

  it('that refuses a conversation is quoted', async () => {
    const strict = await folderWith(
      "{% if messages|length > 2 %}{{ raise_exception('Roles must alternate') }}{% endif %}{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}",
    );
    const { problem } = tokenizeEpisode(unrecorded(0, 1), await openTokenizer(strict));
    expect(problem).toMatchObject({ code: 'not_tokenizable' });
    expect(problem?.reason).toMatch(/^turn 2: the chat template refuses it: .*Roles must alternate/);
  });

  it('sees the day on which the rollout began, not the day of the export', async () => {
    const dated = await folderWith(
      "{{ strftime_now('%d %B %Y') }}\n{% for m in messages %}{{ m.role + ': ' + m.content }}{% endfor %}",
    );
    const { render } = await openTokenizer(dated);
    const now = Date.UTC(2026, 2, 9);
    expect(render([], { tools: [], generationPrompt: false, now })).toBe('09 March 2026\n');
    expect(strftime(now, '%-d %b %y, %a %I:%M %p, 100%%')).toBe('9 Mar 26, Mon 12:00 AM, 100%');
  });

  it('that is broken, or missing, names its file', async () => {
    await expect(openTokenizer(await folderWith('{% for %}'))).rejects.toThrow(
      /chat_template\.jinja has a chat/,
    );
    const folder = await folderWith('');
    await rm(join(folder, 'chat_template.jinja'));
    await expect(openTokenizer(folder)).rejects.toThrow(/tokenizer_config\.json has no chat_template/);
    await expect(openTokenizer(join(folder, 'none'))).rejects.toMatchObject({ code: 'bad_input' });
  });
});
