import { expect, it } from 'vitest';
import { ALL_FORMATS, FAMILY_FORMATS } from '../../../src/parsers/families.js';
import { parse } from '../../../src/parsers/index.js';
import { familiesPage } from './families-page.js';
import { RECORDED_SAMPLES } from './recorded-samples.js';

it('the page of families in docs is what the formats and samples say (vitest -u makes it anew)', async () => {
  await expect(familiesPage()).toMatchFileSnapshot('../../../docs/families.md');
});

it('each format has a sample, which is read as its family writes it', () => {
  const listed = ALL_FORMATS.filter((format) => Object.values(FAMILY_FORMATS).flat().includes(format));
  expect(RECORDED_SAMPLES.map(({ format }) => format).sort()).toEqual(listed.map(({ name }) => name).sort());
  for (const { format, text } of RECORDED_SAMPLES) {
    const family = listed.find(({ name }) => name === format)?.family ?? '';
    const result = parse(text, { family, tools: [{ name: 'terminal', description: '', parameters: {} }] });
    expect(result, format).toMatchObject({ family, failures: [], mismatch: null });
    expect(result.toolCalls, format).toMatchObject([{ arguments: { command: 'ls -la' }, repairs: [] }]);
  }
});
