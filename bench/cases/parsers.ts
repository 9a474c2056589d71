import { FAMILY_FORMATS } from '../../src/parsers/families.js';
import { parse } from '../../src/parsers/parse.js';
import type { Family } from '../../src/parsers/parse-result.js';
import type { BenchCase } from '../measure.js';
import { atMost, type Measure } from '../measure.js';
import { hostileTexts, MEGABYTE, realisticText, TOOLS } from '../parser-texts.js';

const ROUNDS = 7;

/** How fast each family's texts are read, and how long a megabyte takes that was made to be slow. */
export const parsers: BenchCase = async (say) => {
  const measures: Measure[] = [];
  for (const family of Object.keys(FAMILY_FORMATS) as Family[]) {
    say(family);
    measures.push(...throughput(family));
    measures.push(slowest(family));
  }
  return measures;
};

function throughput(family: Family): Measure[] {
  const own = FAMILY_FORMATS[family].filter((format) => format.family === family || family === 'qwen');
  return own.map((format) => {
    const text = realisticText(format);
    const ms = timed(text, family);
    return {
      name: `${family}, ${format.name}: reading`,
      value: MEGABYTE / 1e6 / (ms / 1000),
      unit: 'MB/s',
      target: null,
      note: `1 MB of files and commands as calls, processor time, fastest of ${ROUNDS}`,
    };
  });
}

function slowest(family: Family): Measure {
  const times = hostileTexts(family).map((text) => ({ ms: timed(text, family), text }));
  const worst = times.sort((a, b) => b.ms - a.ms)[0] as (typeof times)[number];
  return {
    name: `${family}: slowest of ${times.length} hostile texts`,
    value: worst.ms,
    unit: 'ms',
    target: atMost(100),
    note: `1 MB each, processor time, fastest of ${ROUNDS}; it begins ${JSON.stringify(worst.text.slice(0, 60))}`,
  };
}

/** Processor time of the fastest of some rounds, in milliseconds: what else the machine does is no part of it. */
function timed(text: string, family: Family): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    parse(text, { family, tools: TOOLS });
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...rounds);
}
