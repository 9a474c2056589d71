import { describe, expect, it } from 'vitest';
import { addUsage } from '../../src/core/rollout/usage.js';
import { completionSchema, readCompletion } from '../../src/model/openai/read-completion.js';
import { completionsWire } from '../../src/model/token-client/completions-wire.js';
import { sglangWire } from '../../src/model/token-client/sglang-wire.js';

/** As JSON: 1e999 is read as Infinity. */
const BOGUS = ['-1', '-1e308', '1e308', '1e999', '9007199254740993', '"7"', '[]', 'true'];
const call = { model: 'm', promptTokenIds: [1, 2], maxTokens: null, temperature: null, seed: null };
const used = (told: string) =>
  `"usage": {"prompt_tokens": ${told}, "completion_tokens": ${told}, "cost": ${told}, "prompt_tokens_details": {"cached_tokens": ${told}}}`;

describe.each(BOGUS)('an endpoint that says it used %s tokens', (told) => {
  it('is not believed, and its answer is kept', () => {
    const answer = JSON.parse(`{"choices": [{"message": {"content": "Hi."}}], ${used(told)}}`);
    const { usage, reportedCostUsd, message } = readCompletion(completionSchema.parse(answer));
    expect(message.content).toBe('Hi.');
    expect(usage).toEqual({ promptTokens: 0, cachedTokens: 0, completionTokens: 0 });
    expect(reportedCostUsd).toBeNull();
  });

  it('is counted by its ids where these are known', () => {
    const completion = JSON.parse(`{"choices": [{"token_ids": [3, 4, 5]}], ${used(told)}}`);
    const sglang = JSON.parse(
      `{"output_ids": [3, 4, 5], "meta_info": {"prompt_tokens": ${told}, "completion_tokens": ${told}, "cached_tokens": ${told}, "output_token_logprobs": [[-1, 3], [-1, 4], [-1, 5]]}}`,
    );
    const counted = { promptTokens: 2, cachedTokens: 0, completionTokens: 3 };
    expect(completionsWire.read(completion, call).usage).toEqual(counted);
    expect(sglangWire.read(sglang, call).usage).toEqual(counted);
  });
});

it('what endpoints are believed adds up exactly, however many calls there are', () => {
  const answer = JSON.parse(`{"choices": [{"message": {"content": ""}}], ${used('1e9')}}`);
  const { usage } = readCompletion(completionSchema.parse(answer));
  const millions = { promptTokens: 9e15, cachedTokens: 9e15, completionTokens: 9e15 };
  expect(Object.values(addUsage(millions, usage)).every(Number.isSafeInteger)).toBe(true);
});
