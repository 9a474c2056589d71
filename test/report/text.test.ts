import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundLines } from '../../src/report/bounded-text.js';
import { cutToWidth, displayWidth } from '../../src/report/display-width.js';
import { escapeTerminal, escapeTerminalLine } from '../../src/report/escape-terminal.js';
import { count, dollars, duration, percent } from '../../src/report/quantities.js';
import { plainStyle } from '../../src/report/style.js';
import { renderTable } from '../../src/report/table.js';

describe('text for a terminal', () => {
  it.each([
    ['\u001b[31mred', '␛[31mred'],
    ['a\u0007b\u007f', 'a␇b␡'],
    ['c1 \u009b2J', 'c1 \\x9b2J'],
    ['right \u202eto left', 'right \\u{202e}to left'],
    ['hidden \u{e0041}tag', 'hidden \\u{e0041}tag'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['half \ud800 pair', 'half \ufffd pair'],
    ['\rover', '␍over'],
    ['naïve 日本 🎉', 'naïve 日本 🎉'],
  ])('%j is shown as %j', (raw, shown) => expect(escapeTerminal(raw)).toBe(shown));

  it('keeps its lines and tabs, or shows them where one line is wanted', () => {
    expect(escapeTerminal('a\n\tb')).toBe('a\n\tb');
    expect(escapeTerminalLine('a\n\tb')).toBe('a␊␉b');
  });

  it('never holds a control character, whatever came in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        expect(escapeTerminalLine(raw)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('widths', () => {
  it('count what a terminal shows', () => {
    expect(['abc', 'é', '日本', '🎉'].map(displayWidth)).toEqual([3, 1, 4, 2]);
  });

  it('cut text with an ellipsis, never beyond the columns', () => {
    expect(cutToWidth('abcdef', 4)).toBe('abc…');
    expect(cutToWidth('abc', 3)).toBe('abc');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '日', '🎉') }),
        fc.integer({ min: 1, max: 20 }),
        (raw, columns) => {
          expect(displayWidth(cutToWidth(raw, columns))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('of a table are those of its content, the flexible column giving way', () => {
    const columns = [
      { title: 'name', flexible: true },
      { title: 'n', align: 'right' as const },
    ];
    const rows = [
      ['short', '1'],
      ['a-name-that-is-much-too-long', '1000'],
    ];
    expect(renderTable(columns, rows, 80, plainStyle)[1]).toBe('short                             1');
    expect(renderTable(columns, rows, 20, plainStyle)).toEqual([
      'name               n',
      'short              1',
      'a-name-that-…   1000',
    ]);
  });
});

describe('a table', () => {
  it('escapes its cells, and measures what is shown of them', () => {
    const [, row] = renderTable([{ title: 'a' }, { title: 'b' }], [['\u009b2J', '\n']], 80, plainStyle);
    expect(row).toBe('\\x9b2J   ␊');
  });
});

describe('quantities', () => {
  it('are short', () => {
    expect([0, 999, 1_000, 12_345, 999_600, 4_560_000, 2.5e9].map(count)).toEqual([
      '0',
      '999',
      '1.00 k',
      '12.3 k',
      '1.00 M',
      '4.56 M',
      '2.50 G',
    ]);
    expect([0, 0.0012, 0.02, 3.456, null].map(dollars)).toEqual(['$0.00', '$0.0012', '$0.02', '$3.46', '—']);
    expect([400, 12_300, 185_000, 7_620_000].map(duration)).toEqual([
      '0.4 s',
      '12 s',
      '3 min 05 s',
      '2 h 07 min',
    ]);
    expect([0.6667, null].map(percent)).toEqual(['66.7 %', '—']);
  });
});

describe('long output', () => {
  it('keeps its head and tail and says what is missing', () => {
    const lines = Array.from({ length: 10 }, (_, i) => String(i));
    expect(boundLines(lines, 10)).toEqual(lines);
    expect(boundLines(lines, 5)).toEqual(['0', '1', '… 6 lines left out …', '8', '9']);
    expect(boundLines(lines, 2)).toEqual(['0', '… 9 lines left out …']);
  });
});
