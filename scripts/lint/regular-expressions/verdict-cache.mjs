import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const FILE = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'longrun',
  'regular-expressions.json',
);

/** Verdicts of earlier runs, by key: a proof takes up to seconds. */
export function readVerdicts() {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8'))));
  } catch {
    // Missing or cut off: everything is judged anew.
    return new Map();
  }
}

/** Leaves out those that another try may decide. */
export function writeVerdicts(verdicts) {
  const decided = [...verdicts].filter(([, { linear }]) => linear !== null);
  mkdirSync(dirname(FILE), { recursive: true });
  const unfinished = `${FILE}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(Object.fromEntries(decided)));
  renameSync(unfinished, FILE);
}
