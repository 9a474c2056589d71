import type { CallFormat } from './call-format.js';
import { bareJson } from './formats/bare-json.js';
import { deepseekDsml } from './formats/deepseek-dsml.js';
import { deepseekV3, deepseekV31 } from './formats/deepseek-v3.js';
import { glmXml } from './formats/glm-xml.js';
import { glm4Json } from './formats/glm4-json.js';
import { harmony } from './formats/harmony.js';
import { kimiK2 } from './formats/kimi-k2.js';
import { llamaPythonic } from './formats/llama-pythonic.js';
import { minimaxM1 } from './formats/minimax-m1.js';
import { minimaxM2 } from './formats/minimax-m2.js';
import { mistralJson, mistralNamed } from './formats/mistral.js';
import { pythonTagJson } from './formats/python-tag-json.js';
import { qwenCoder } from './formats/qwen-coder.js';
import { longcatJson, tagJson } from './formats/tag-json.js';
import { unreadableTag } from './formats/unreadable-tag.js';
import { type Markers, marksOf, startsOf } from './marker-set.js';
import type { Family } from './parse-result.js';

/**
 * What each family writes, the format it is rendered in first. Formats of one family that share a
 * marker are asked in this order, and answer null from the head alone where it is not theirs.
 */
export const FAMILY_FORMATS: Readonly<Record<Family, readonly CallFormat[]>> = {
  hermes: [tagJson, longcatJson],
  qwen: [tagJson, qwenCoder, bareJson],
  deepseek: [tagJson, deepseekV31, deepseekV3, deepseekDsml],
  glm: [glmXml, glm4Json, bareJson],
  llama: [pythonTagJson, llamaPythonic, bareJson],
  kimi: [kimiK2, bareJson],
  mistral: [mistralNamed, mistralJson, bareJson],
  openai: [bareJson],
  harmony: [harmony],
  minimax: [minimaxM2, minimaxM1],
};

/** Other names for families, and the format that such a name stands for where it is one of several. */
const ALIASES: Readonly<Record<string, { family: Family; format?: string }>> = {
  longcat: { family: 'hermes', format: 'longcat-json' },
  nous: { family: 'hermes' },
  qwen3_coder: { family: 'qwen', format: 'qwen-coder' },
  qwen3_xml: { family: 'qwen', format: 'qwen-coder' },
  qwq: { family: 'qwen' },
  chatglm: { family: 'glm' },
  moonshot: { family: 'kimi' },
  mixtral: { family: 'mistral' },
  magistral: { family: 'mistral' },
  devstral: { family: 'mistral' },
  gpt_oss: { family: 'harmony' },
  gpt: { family: 'openai' },
};

/** Every format once, in the order in which they are asked where no family was named. */
export const ALL_FORMATS: readonly CallFormat[] = [
  ...new Set([...Object.values(FAMILY_FORMATS).flat(), unreadableTag]),
];

/** A family as it was asked for; `family` null when the name is unknown. */
export interface ResolvedFamily {
  family: Family | null;
  format: string | null;
}

/** Resolves `Qwen3-Coder`, `deepseek_v3_1`, `llama3_json`, `longcat`: aliases first, then what begins like a family. */
export function resolveFamily(name: string): ResolvedFamily {
  const key = name
    .trim()
    .toLowerCase()
    .replace(/[-\s.]+/g, '_');
  const families = Object.keys(FAMILY_FORMATS) as Family[];
  const alias = longestPrefix(key, Object.keys(ALIASES));
  const family = longestPrefix(key, families);
  if (alias !== null && alias.length > (family ?? '').length) {
    const found = ALIASES[alias] as { family: Family; format?: string };
    return { family: found.family, format: found.format ?? null };
  }
  return { family, format: null };
}

function longestPrefix<Name extends string>(key: string, names: readonly Name[]): Name | null {
  const fitting = names.filter((name) => key.startsWith(name));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Compiled once each: they depend on nothing but the family. */
const ALL_MARKS = new Map<Family | null, Markers>();
const OWN_MARKS = new Map<Family, Markers>();

/** The marks of all formats, those of the asked family first, and the one that only gives up last. */
export function allMarks(family: Family | null): Markers {
  const own = family === null ? [] : FAMILY_FORMATS[family];
  const others = ALL_FORMATS.filter((format) => !own.includes(format) && format !== unreadableTag);
  const marks = ALL_MARKS.get(family) ?? marksOf([...own, ...others, unreadableTag]);
  ALL_MARKS.set(family, marks);
  return marks;
}

/** The marks that may still follow once a family's call was read. */
export function ownMarks(family: Family): Markers {
  const marks = OWN_MARKS.get(family) ?? marksOf([...FAMILY_FORMATS[family], unreadableTag]);
  OWN_MARKS.set(family, marks);
  return marks;
}

/** Places of calls without marks, of any family. */
export const BARE_STARTS: readonly Markers[] = ALL_FORMATS.filter(({ starts }) => starts).map(startsOf);

/** Whether a family writes calls without marks, so that one in prose may be meant. */
export function writesBareCalls(family: Family | null): boolean {
  return family === null || FAMILY_FORMATS[family].some(({ starts }) => starts !== undefined);
}

/** Whose format it is: the asked family's where several share it. */
export function familyOf(format: CallFormat, asked: Family | null): Family {
  return asked !== null && FAMILY_FORMATS[asked].includes(format) ? asked : format.family;
}
