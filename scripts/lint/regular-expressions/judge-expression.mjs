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
/** So many repeats beyond the least number stand for any number of them up to the limit below. */
const FEW = 3;
/** Repeats that differ by more than this are judged as if nothing bounded them. */
const SMALL = 10;

/**
 * `{ linear }`, and if it is not: what it is instead, with a text that shows it. `{ linear: null }` when recheck gave up.
 * What looks around itself or refers back is beyond automata: recheck then searches for an attack.
 */
export async function judgeExpression({ source, flags }) {
  const verdict = await judge(withBounds(source, wideAsUnbounded), flags);
  if (verdict.linear !== false || !hasWideBounds(source)) return verdict;
  // One wide bound multiplies the time by that bound at most; several, in a row or nested, by their product.
  return verdict.degree === 2 ? judge(withBounds(source, fewOf), flags) : verdict;
}

/** A name for the verdict on an expression, for as long as nothing changes that it depends on. */
export function verdictKey({ source, flags }) {
  const { version } = createRequire(import.meta.url)('recheck/package.json');
  return createHash('sha256')
    .update(JSON.stringify([version, LIMITS, FEW, SMALL, source, flags]))
    .digest('hex');
}

/** recheck takes a sticky expression for one that has to match up to the end. */
async function judge(source, flags) {
  const [asChecked, otherFlags] = flags.includes('y')
    ? [`^(?:${source})`, flags.replace('y', '')]
    : [source, flags];
  const { status, complexity, attack, error } = await check(asChecked, otherFlags, LIMITS);
  if (status === 'safe') return { linear: true };
  if (status === 'unknown') return { linear: null, because: `recheck cannot tell (${error.kind})` };
  const because = `${complexity.summary}, by ${attack.pattern}`;
  return { linear: false, because, degree: complexity.degree ?? Infinity };
}

const hasWideBounds = (source) => withBounds(source, wideAsUnbounded) !== withBounds(source, fewOf);

/** recheck gives up on large bounds. */
const fewOf = (least, most) => `{${least},${Math.min(most, least + FEW)}}`;
const wideAsUnbounded = (least, most) => (most - least > SMALL ? `{${least},}` : fewOf(least, most));

function withBounds(source, write) {
  return source.replace(PARTS, (part, least, most) =>
    most === undefined ? part : write(Number(least), Number(most)),
  );
}
