/** Controls, invisible format characters (they reorder or hide text), line separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Unicode has a picture for each C0 control: U+241B is a visible escape. */
const CONTROL_PICTURES = 0x2400;

/**
 * Text of a task, a model or a sandbox, made safe for a terminal: control characters and the starts
 * of ANSI sequences become visible signs. Line feeds and tabs stay.
 */
export function escapeTerminal(text: string): string {
  return text.replace(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : visible(char)));
}

/** The same on one line: line feeds and tabs become visible signs too. */
export function escapeTerminalLine(text: string): string {
  return text.replace(UNSAFE, visible);
}

/** JSON text with the same characters as \uXXXX: still the same document, and nothing that a terminal acts on. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (char) => (char === '\n' ? char : codeUnits(char)));
}

const codeUnits = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

function visible(char: string): string {
  const code = char.codePointAt(0) as number;
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  if (code === 0x7f) return '␡';
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code < 0x100 ? `\\x${code.toString(16)}` : `\\u{${code.toString(16)}}`;
}
