import type { WriteStream } from 'node:tty';
import { escapeTerminalLine } from '../../report/escape-terminal.js';
import type { RunView } from '../../runs/status/run-view.js';
import { ansiPaint, noPaint, type Paint } from './glyphs.js';
import type { LiveView } from './live-view.js';
import { renderGrid } from './render-grid.js';
import { printableWidth, Screen } from './screen.js';

const REDRAW_MS = 100;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/** The live grid on a terminal, redrawn at most every 100 ms and at once on resize. */
export class TerminalView implements LiveView {
  private readonly screen = new Screen();
  private readonly paint: Paint;
  private view: RunView | null = null;
  private noteText: string | null = null;
  private timer: NodeJS.Timeout | null = null;
  private drawnAt = 0;
  private readonly onResize = (): void => this.draw();

  constructor(
    private readonly out: WriteStream,
    colour: boolean,
    private readonly now: () => number,
  ) {
    this.paint = colour ? ansiPaint : noPaint;
    out.write(HIDE_CURSOR);
    out.on('resize', this.onResize);
  }

  update(view: RunView): void {
    this.view = {
      ...view,
      title: escapeTerminalLine(view.title),
      trouble: view.trouble && escapeTerminalLine(view.trouble),
      pauseNote: view.pauseNote && escapeTerminalLine(view.pauseNote),
    };
    this.schedule();
  }

  note(text: string | null): void {
    this.noteText = text && escapeTerminalLine(text);
    this.schedule();
  }

  print(text: string): void {
    this.out.write(this.screen.clear(this.columns) + text);
    this.draw();
  }

  close(): void {
    this.draw();
    this.out.off('resize', this.onResize);
    this.out.write(SHOW_CURSOR);
  }

  private get columns(): number {
    return Math.max(20, this.out.columns || 80);
  }

  private schedule(): void {
    if (this.timer) return;
    const wait = Math.max(0, this.drawnAt + REDRAW_MS - this.now());
    this.timer = setTimeout(() => this.draw(), wait);
  }

  private draw(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.drawnAt = this.now();
    if (!this.view) return;
    // One row stays free: the cursor rests below the block, and a full screen would scroll.
    const size = { columns: this.columns, rows: Math.max(3, (this.out.rows || 24) - 1) };
    const lines = renderGrid(this.view, size, this.paint, this.noteText);
    this.out.write(this.screen.draw(lines, lines.map(printableWidth), size.columns));
  }
}
