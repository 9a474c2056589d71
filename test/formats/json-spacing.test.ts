import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { respaceJson } from '../../src/formats/json-spacing.js';
import { pythonJson } from '../../src/formats/python-json.js';
import { readGptValue } from '../../src/formats/sharegpt/read-gpt-value.js';
import { toolsOfSystemValue } from '../../src/formats/sharegpt/system-value.js';
import { readToolValue } from '../../src/formats/sharegpt/tool-value.js';

describe('JSON text as Python spaces it', () => {
  it('is what the value written anew would be', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        // A negative zero is text like any other, which a value cannot tell.
        const text = JSON.stringify(value, null, indent);
        expect(respaceJson(text)).toBe(pythonJson(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps numbers as they are written, and escapes only what has to be', () => {
    const text = '{"a" :12345678901234567890,"b":[1.0,1e5], "c":"\\u00e9\\/\\u0000: , "}';
    expect(respaceJson(text)).toBe('{"a": 12345678901234567890, "b": [1.0, 1e5], "c": "é/\\u0000: , "}');
    expect(respaceJson('{"a": }')).toBeNull();
  });
});

describe('text made to be slow to read', () => {
  const MANY = 300_000;

  it('is read in one go', () => {
    expect(respaceJson(`["${'\\n'.repeat(10 * MANY)}"]`)?.length).toBe(20 * MANY + 4);
    expect(readToolValue('<tool_response>'.repeat(MANY))).toHaveLength(1);
    expect(readGptValue(`<think>\n</think>\n${'\n'.repeat(MANY)}`)?.calls).toEqual([]);
    expect(readGptValue('<think>\n'.repeat(MANY))).toBeNull();
    expect(toolsOfSystemValue('<tools>\n'.repeat(MANY))).toBeNull();
  });
});
