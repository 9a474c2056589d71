import { Agent, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { openStore } from '../../../../../src/store/index.js';
import { startChild } from '../../../../support/child.js';
import { temporaryStateDir } from '../../../../support/state.js';
import { ServeRun } from '../../../support/serve-run.js';
import { ON_LOOPBACK } from '../../support/listening.js';

export interface Sent {
  method: string;
  path: string;
  body: Buffer | null;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  text: string;
}

interface Usage {
  cpuMs: number;
  heapMb: number;
}

/** The listener of a run in a process of its own, with a queue that takes whatever is sent. */
export class FuzzedListener {
  private seenMs = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 });

  private constructor(
    readonly url: string,
    private readonly usageUrl: string,
  ) {}

  static async start(): Promise<FuzzedListener> {
    const stateDir = await temporaryStateDir();
    const store = await openStore(stateDir);
    const serve = { ...ON_LOOPBACK, maxQueue: 1_000_000 };
    await ServeRun.plan(store, { groupSize: 4, serve });
    const child = startChild(new URL('./listener.child.ts', import.meta.url), [stateDir, 'run']);
    const { url, usageUrl } = JSON.parse(await child.line()) as { url: string; usageUrl: string };
    const listener = new FuzzedListener(url, usageUrl);
    onTestFinished(() => listener.agent.destroy());
    return listener;
  }

  /** Its answer; a connection that is closed without one counts as status 0. */
  ask({ method, path, body, headers = {} }: Sent): Promise<Answered> {
    return new Promise((resolve) => {
      const length = body === null ? {} : { 'content-length': String(body.length) };
      const options = { method, agent: this.agent, headers: { ...length, ...headers } };
      const asked = request(`${this.url}${path}`, options, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.once('close', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
        );
      });
      asked.on('error', () => resolve({ status: 0, text: '' }));
      asked.end(body ?? undefined);
    });
  }

  async json(path: string, body: unknown): Promise<Answered> {
    return this.ask({ method: 'POST', path, body: Buffer.from(JSON.stringify(body)) });
  }

  /** The processor time that was used since this was asked last. */
  async usedMs(): Promise<number> {
    const { cpuMs } = (await (await fetch(this.usageUrl)).json()) as Usage;
    const used = cpuMs - this.seenMs;
    this.seenMs = cpuMs;
    return used;
  }

  /** After what can be collected was. */
  async heapMb(): Promise<number> {
    return ((await (await fetch(`${this.usageUrl}/heap`)).json()) as Usage).heapMb;
  }
}
