import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { check } from 'recheck';

/** Limits in steps instead of seconds, so that a busy machine comes to the same verdict; the last is for what hangs. */
const LIMITS = {
  attackLimit: 20_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  recallTimeout: -1,
  timeout: 300_000,
};
/** An escape, a class, or a number of repeats between two bounds. */
const PARTS = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+),(\d+)\}/gs;
/** More repeats than so many beyond the least number make a search longer, but not longer than linear. */
const REPEATS = 3;

/** `{ linear }`, and if it is not: what it is instead, with a text that shows it. */
export async function judgeExpression({ source, flags }) {
  const { status, complexity, attack, error } = await check(...asChecked(source, flags), LIMITS);
  if (status === 'safe') return { linear: true };
  if (status === 'vulnerable')
    return { linear: false, because: `${complexity.summary}, by ${attack.pattern}` };
  return { linear: false, because: `recheck cannot tell (${error.kind})` };
}

/** A name for the verdict on an expression, for as long as nothing changes that it depends on. */
export function verdictKey({ source, flags }) {
  const { version } = createRequire(import.meta.url)('recheck/package.json');
  return createHash('sha256')
    .update(JSON.stringify([version, LIMITS, ...asChecked(source, flags)]))
    .digest('hex');
}

/** recheck gives up on large bounds, and takes a sticky expression for one that has to match up to the end. */
function asChecked(source, flags) {
  const short = source.replace(PARTS, (part, least, most) =>
    most === undefined ? part : `{${least},${Math.min(Number(most), Number(least) + REPEATS)}}`,
  );
  return flags.includes('y') ? [`^(?:${short})`, flags.replace('y', '')] : [short, flags];
}
