import type { WriteStream } from 'node:tty';
import { type CliIo, wantsColour } from '../cli-io.js';
import type { LiveView } from './live-view.js';
import { PlainView } from './plain-view.js';
import { TerminalView } from './terminal-view.js';

/** The live grid on a person's terminal; plain lines for pipes, logs and CI. Always on standard error. */
export function openView(io: CliIo, passThreshold: number): LiveView {
  const { stderr, env, now } = io;
  if (stderr.isTTY && !env.CI && env.TERM !== 'dumb') {
    return new TerminalView(stderr as WriteStream, wantsColour(stderr, env), now);
  }
  return new PlainView((text) => stderr.write(text), passThreshold, now);
}
