import { resolveFamily } from './families.js';
import type { Family } from './parse-result.js';

/** What was asked for: a family, or any (`auto`). */
export interface Asked {
  name: string;
  family: Family | null;
  notices: string[];
}

/** Resolves the family; an unknown one is read as `openai`, and says so. */
export function askedFamily(name: string): Asked {
  if (name.trim().toLowerCase() === 'auto') return { name, family: null, notices: [] };
  const { family } = resolveFamily(name);
  if (family !== null) return { name, family, notices: [] };
  const notices = [`the family ${JSON.stringify(name)} is unknown; the text was read as openai`];
  return { name, family: 'openai', notices };
}
