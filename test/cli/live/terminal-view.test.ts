import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TerminalView } from '../../../src/cli/live/terminal-view.js';
import { countMarks, type RunView } from '../../../src/runs/status/run-view.js';

class Terminal extends EventEmitter {
  writes: string[] = [];
  columns = 80;
  rows = 24;
  write(text: string): boolean {
    this.writes.push(text);
    return true;
  }
  /** What a person sees: the text with cursor movements applied. */
  screen(): string[] {
    const lines: string[] = [''];
    let row = 0;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes begin with the escape character
    for (const token of this.writes.join('').match(/\u001b\[[?0-9;]*[A-Za-z]|\n|\r|[^\u001b\n\r]+/g) ?? []) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      const up = /^\u001b\[(\d+)A$/.exec(token);
      if (up) row -= Number(up[1]);
      else if (token === '\n') row += 1;
      else if (token.endsWith('J')) lines.length = row;
      else if (!token.startsWith('\u001b') && token !== '\r') lines[row] = token;
    }
    return lines.filter((line) => line !== undefined);
  }
}

function viewOf(done: number, trouble: string | null = null): RunView {
  const tasks = [
    { taskId: 'a', marks: Array.from({ length: 10 }, (_, i) => (i < done ? 'passed' : 'waiting')) },
  ];
  const typed = tasks as RunView['tasks'];
  return {
    runId: 'r',
    title: 'env · model',
    status: 'running',
    elapsedMs: 0,
    tasks: typed,
    counts: countMarks(typed),
    total: 10,
    done,
    turns: 0,
    turnsPerSecond: null,
    tokens: 0,
    costUsd: null,
    msLeft: null,
    trouble,
  };
}

describe('the live view on a terminal', () => {
  let terminal: Terminal;
  let view: TerminalView;
  beforeEach(() => {
    vi.useFakeTimers();
    terminal = new Terminal();
    view = new TerminalView(terminal as unknown as WriteStream, false, Date.now);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('redraws at most ten times a second', () => {
    for (let i = 0; i < 100; i++) {
      view.update(viewOf(i % 10));
      vi.advanceTimersByTime(10);
    }
    expect(terminal.writes.length).toBeLessThanOrEqual(1 + 11);
  });

  it('draws in place, as one synchronized frame', () => {
    view.update(viewOf(1));
    vi.advanceTimersByTime(200);
    view.update(viewOf(2));
    vi.advanceTimersByTime(200);
    expect(terminal.screen().filter((line) => line.includes('env · model'))).toHaveLength(1);
    expect(terminal.screen().join('\n')).toContain('2/10 done');
    for (const frame of terminal.writes.slice(1)) {
      expect(frame.startsWith('\u001b[?2026h')).toBe(true);
      expect(frame.endsWith('\u001b[?2026l')).toBe(true);
    }
  });

  it('redraws at once on resize, over the lines that the terminal has wrapped', () => {
    view.update(viewOf(1));
    vi.advanceTimersByTime(200);
    const height = terminal.writes.at(-1)?.match(/\n/g)?.length ?? 0;
    terminal.columns = 40;
    terminal.emit('resize');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a cursor movement is looked for
    const moved = /\u001b\[(\d+)A/.exec(terminal.writes.at(-1) ?? '');
    // The heading is 80 columns wide and now takes two lines.
    expect(Number(moved?.[1])).toBe(height + 1);
  });

  it('lets other lines pass above it', () => {
    view.update(viewOf(1));
    vi.advanceTimersByTime(200);
    view.print('a log line\n');
    const screen = terminal.screen();
    expect(screen[0]).toBe('a log line');
    expect(screen.join('\n')).toContain('1/10 done');
  });

  it('leaves the last moment on the screen and the cursor visible', () => {
    view.update(viewOf(10));
    view.close();
    expect(terminal.screen().join('\n')).toContain('10/10 done');
    expect(terminal.writes.at(-1)).toBe('\u001b[?25h');
    expect(terminal.listenerCount('resize')).toBe(0);
  });

  it('escapes what comes from outside', () => {
    const hostile = 'a/0: \u001b]0;owned\u0007';
    view.update({ ...viewOf(1, hostile), status: 'paused', title: hostile, pauseNote: hostile });
    view.note(hostile);
    view.close();
    expect(terminal.writes.join('').match(/owned/g)).toHaveLength(4);
    expect(terminal.writes.join('')).not.toContain('\u001b]0');
    expect(terminal.writes.join('')).not.toContain('\u0007');
  });
});
