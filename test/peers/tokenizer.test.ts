import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openTokenizer } from '../../src/model/tokenizer/open-tokenizer.js';
import { runPeer } from './support/python.js';

const FOLDER = fileURLToPath(new URL('../fixtures/chat-tokenizer', import.meta.url));

const TEXTS = [
  '',
  'List the files.',
  '  spaces   and\ttabs\n\n\nlines \n ',
  "it's DON'T 12345 3.14 x=1;",
  'ünïcode — 日本語 🎉👩‍👩‍👧 \u2028 e\u0301',
  '<|im_start|>assistant\n<think>\nhm\n</think>\n<tool_call>\n{"name": "terminal"}\n</tool_call><|im_end|>\n',
  '<|im_end|><|im_end|> <|im_end', // A mark that is cut off is text.
  JSON.stringify({ command: 'grep -r "a\\tb" . | head -n 3 && echo \'done\'' }),
];

async function encoded() {
  const tokenizer = await openTokenizer(FOLDER);
  return TEXTS.map((text) => ({ text, ids: tokenizer.encode(text) }));
}

const check = (found: unknown) =>
  runPeer('check_tokenizer.py', [`${FOLDER}/tokenizer.json`], JSON.stringify(found));

test("text becomes the ids that Hugging Face's tokenizers make of it", async () => {
  expect(await check(await encoded())).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: `${TEXTS.length}\n`,
  });
});

test('other ids are refused', async () => {
  const found = (await encoded()).map(({ text, ids }) => ({ text, ids: ids.toReversed() }));
  expect(await check(found)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('AssertionError'),
  });
});
