import { describe, expect, it } from 'vitest';
import { parse } from '../../../src/parsers/index.js';
import { PROBES } from './probe-inputs.js';

interface Ours {
  content?: string;
  calls?: [name: string, args: Record<string, unknown>, repairs?: string[], nativeId?: string][];
  failures?: string[];
}

const f = (a: unknown): [string, Record<string, unknown>] => ['f', { a }];

/** What we make of each probe, no tools being known, by family and title. */
const OURS: Record<string, Ours> = {
  'deepseek_v3 one': { content: 'hi', calls: [f(1)] },
  'deepseek_v3 no end token': { content: 'hi', calls: [[...f(1), ['missing_close_tag']]] },
  'deepseek_v3 bad json kept raw': { failures: ['bad_json'] },
  'deepseek_v3 args containing fence': { calls: [f('```x```')] },
  'deepseek_v3_1 one': { content: 'hi', calls: [f(1)] },
  // It is V3, and read as that.
  'deepseek_v3_1 v3 text in v31 parser': { content: 'hi', calls: [f(1)] },
  'qwen3_coder one': { content: 't', calls: [['f', { a: 1, b: 'hi' }]] },
  // Without a schema only JSON is more than text.
  'qwen3_coder types': {
    calls: [['f', { a: true, b: 'None', c: [1, 2], d: '"q"', e: '007', f: '(1,2)', g: 100_000 }]],
  },
  'qwen3_coder multiline str': { calls: [f('  line1\n    line2')] },
  'qwen3_coder no tool_call tag': { content: 'text', calls: [f('x')] },
  'qwen3_coder missing param close': {
    calls: [['f', { a: 'x', b: 'y' }, ['missing_close_tag', 'missing_close_tag']]],
  },
  // Nothing says that the value is whole, so nothing is run with it.
  'qwen3_coder unclosed': { failures: ['truncated'] },
  'qwen3_coder no params': { calls: [['f', {}]] },
  'qwen3_coder set-literal': { calls: [f('{1,2}')] },
  'qwen3_coder value has </parameter>': { calls: [f('echo "</parameter>" x')] },
  'glm45 one': { content: 'hi', calls: [['f', { a: 1, b: 'xx' }]] },
  'glm45 no newline (4.7 style)': { calls: [f(1)] },
  'glm45 no args': { calls: [['f', {}]] },
  'glm45 unclosed': { calls: [[...f(1), ['missing_close_tag']]] },
  'glm47 4.7': { calls: [['f', { a: 1, b: 'x' }]] },
  'glm47 4.5 style': { calls: [f(1)] },
  'glm47 no args': { calls: [['f', {}]] },
  'kimi_k2 one': { content: 'hi', calls: [[...f(1), [], 'functions.f:0']] },
  'kimi_k2 singular': { calls: [[...f(1), [], 'f:3']] },
  'kimi_k2 no section': { calls: [['f', {}, [], 'functions.f:0']] },
  'kimi_k2 dotted': { calls: [['mcp.f', {}, [], 'functions.mcp.f:0']] },
  'kimi_k2 no index': { calls: [['f', {}, [], 'functions.f']] },
  'mistral pre11': { content: 'hi', calls: [f(1), ['g', {}]] },
  'mistral single obj': { calls: [f(1)] },
  'mistral v11': { content: 'x', calls: [f(1), ['g', { b: 2 }]] },
  'mistral v13 with [ARGS]': { calls: [[...f(1), [], '123456789']] },
  'mistral pre11 trailing': { content: 'done', calls: [['f', {}]] },
  'mistral v11 bad json': { failures: ['truncated'] },
  'mistral args string': { calls: [[...f(1), ['string_encoded_arguments']]] },
};

describe('every recorded probe of the tag and token formats', () => {
  it.each(PROBES)('$family: $title', ({ family, title, text }) => {
    const { content = '', calls = [], failures = [] } = OURS[`${family} ${title}`] ?? {};
    const result = parse(text, { family });
    expect({
      content: result.content,
      calls: result.toolCalls.map((call) => [
        call.name,
        call.arguments,
        call.repairs.map(({ kind }) => kind),
        call.nativeId,
      ]),
      failures: result.failures.map(({ code }) => code),
      mismatch: result.mismatch,
    }).toEqual({
      content,
      calls: calls.map(([name, args, repairs = [], nativeId = null]) => [name, args, repairs, nativeId]),
      failures,
      mismatch: null,
    });
  });

  it('has an outcome for each of them', () => {
    expect(Object.keys(OURS)).toEqual(PROBES.map(({ family, title }) => `${family} ${title}`));
  });

  it('loses no call that the older parsers read, but for the one whose value was cut off', () => {
    for (const { family, title, text, recorded } of PROBES) {
      const { toolCalls, failures } = parse(text, { family });
      const kept = toolCalls.length + failures.length;
      expect(kept, title).toBeGreaterThanOrEqual(recorded.calls?.length ?? 0);
    }
  });
});
