import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { parseHello } from '../exec-report.js';
import { FrameReader } from './frames.js';

/** Room for the lines of the exec script and for what the engine says when it cannot start a command. */
const PROTOCOL_BYTES = 16_384;

/** The attached stream of one started command. */
export class ExecStream {
  /** When the command began, by this process's steady clock; milliseconds. */
  readonly startedAtMs = performance.now();
  /** Resolves once the command runs (true) or the stream ended before it did (false). */
  readonly begun: Promise<boolean>;
  /** Resolves when the stream has ended, for whatever reason. */
  readonly ended: Promise<void>;
  private readonly frames: FrameReader;

  constructor(
    private readonly socket: Duplex,
    outputLimitBytes: number,
    stdin: Uint8Array | null,
  ) {
    this.frames = new FrameReader(outputLimitBytes + PROTOCOL_BYTES);
    this.ended = new Promise((resolve) => socket.once('close', resolve));
    this.begun = new Promise((resolve) => {
      socket.once('close', () => resolve(this.saysHello()));
      let waiting = true;
      socket.on('data', (chunk: Buffer) => {
        this.frames.push(chunk);
        if (!waiting || !this.saysHello()) return;
        waiting = false;
        resolve(true);
      });
    });
    // A broken stream is an early end: what became of the command is asked of the engine.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    if (stdin !== null) socket.end(stdin);
  }

  /** Lets go of the stream; a killed command's may stay open on the engine's side. */
  close(): void {
    this.socket.destroy();
  }

  get stdout(): Buffer {
    return Buffer.concat(this.frames.stdout);
  }

  /** What the engine or the shell said beside the command's own output. */
  get complaint(): string {
    return Buffer.concat([...this.frames.stdout, ...this.frames.stderr])
      .toString('utf8')
      .trim();
  }

  private saysHello(): boolean {
    return parseHello(this.stdout) !== null;
  }
}

/** Starts an exec object and stays attached. Rejects with the engine's refusal, where it refuses in time. */
export async function openExecStream(
  exec: Dockerode.Exec,
  outputLimitBytes: number,
  stdin: Uint8Array | null,
): Promise<ExecStream> {
  const socket = await exec.start({ hijack: true, stdin: stdin !== null, Detach: false, Tty: false });
  return new ExecStream(socket, outputLimitBytes, stdin);
}
