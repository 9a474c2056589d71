import { escapeTerminalLine } from '../../report/escape-terminal.js';
import type { CommandContext } from '../command-context.js';

const EVERY_MS = 200;
const CLEAR_LINE = '\r\u001b[K';

/** How many episodes were dealt with, on one line of a terminal; elsewhere nothing. */
export class Progress {
  private shownAt = 0;
  private shown = false;
  private readonly counts = new Map<string, number>();

  constructor(private readonly context: Pick<CommandContext, 'io' | 'say' | 'json'>) {}

  /** One more. `what` is said of all so far: `episodes written`. */
  step(what: string): void {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    const { io } = this.context;
    if (io.stderr.isTTY !== true || io.now() - this.shownAt < EVERY_MS) return;
    this.shownAt = io.now();
    this.shown = true;
    io.stderr.write(`${CLEAR_LINE}${count} ${what}`);
  }

  /** A line for the person that is not torn by the one that is being rewritten. Escaped here. */
  say(line: string): void {
    this.clear();
    this.context.say(escapeTerminalLine(line));
  }

  end(): void {
    this.clear();
  }

  private clear(): void {
    if (this.shown) this.context.io.stderr.write(CLEAR_LINE);
    this.shown = false;
  }
}
