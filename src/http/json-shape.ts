/** What a JSON text costs to parse, known before it is parsed. */
export interface JsonShape {
  /** How deep its lists and objects are nested. */
  depth: number;
  /** Lists, objects and texts, names of members included: each takes far longer than a number. */
  parts: number;
  /** The first number that Python writes and JSON does not know: `NaN`, `-Infinity`; null = there is none. */
  notFinite: string | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Goes through the text once, and stops where it is over a limit. What is wrong with it is for the parser to say. */
export function jsonShape(bytes: Buffer, limits: { depth: number; parts: number }): JsonShape {
  const shape: JsonShape = { depth: 0, parts: 0, notFinite: null };
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        shape.parts += 1;
        i = endOfText(bytes, i + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        shape.parts += 1;
        depth += 1;
        if (depth > shape.depth) shape.depth = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x49: // I
      case 0x4e: // N
        shape.notFinite ??= notFiniteAt(bytes, i);
    }
    if (shape.depth > limits.depth || shape.parts > limits.parts) return shape;
  }
  return shape;
}

/** Where the quotation mark is that ends a text. */
function endOfText(bytes: Buffer, from: number): number {
  let i = from;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

function notFiniteAt(bytes: Buffer, i: number): string | null {
  const word = ['NaN', 'Infinity'].find((name) => bytes.toString('latin1', i, i + name.length) === name);
  if (word === undefined) return null;
  return word === 'Infinity' && bytes[i - 1] === 0x2d ? '-Infinity' : word;
}
