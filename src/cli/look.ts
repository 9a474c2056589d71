import { plainStyle, type Style, type StyleName } from '../report/style.js';
import { type CliIo, wantsColour } from './cli-io.js';

/** How reports look on standard output. */
export interface Look {
  style: Style;
  columns: number;
}

const CODES: Record<StyleName, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
/** A file or pipe has no width: nothing is cut there. */
const NO_TERMINAL_COLUMNS = 200;

export function lookOf({ stdout, env }: CliIo): Look {
  const style: Style = (name, text) => `\u001b[${CODES[name]}m${text}\u001b[0m`;
  return {
    style: wantsColour(stdout, env) ? style : plainStyle,
    columns: stdout.columns ?? NO_TERMINAL_COLUMNS,
  };
}
