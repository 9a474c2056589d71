import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { asChild, type Child } from '../../support/child.js';
import { folder } from '../../trajectories/support/folder.js';

const CHILD = fileURLToPath(new URL('./receiver.child.mjs', import.meta.url));

export interface Request {
  fault: string;
  /** Session ids of its rows. */
  rows: string[];
  headers: Record<string, string>;
}

/** A receiver in a process of its own, which keeps what it has when it is killed and started again. */
export class TestReceiver {
  readonly requests: Request[] = [];
  private child!: Child;
  private readonly file = join(folder(), 'stored.jsonl');
  port = 0;

  static async start(...faults: string[]): Promise<TestReceiver> {
    const made = new TestReceiver();
    await made.restart(...faults);
    return made;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}/trajectories`;
  }

  /** Starts on the same port, with what was stored. */
  async restart(...faults: string[]): Promise<void> {
    const argv = [CHILD, String(this.port), this.file, JSON.stringify(faults)];
    const child = asChild(spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] }), CHILD);
    this.child = child;
    onTestFinished(() => child.kill());
    this.port = JSON.parse(await this.child.line()).port;
    void this.listen(this.child);
  }

  async kill(): Promise<void> {
    await this.child.kill('SIGKILL');
  }

  /** Resolves when it has ended. */
  async ended(): Promise<void> {
    await this.child.ended;
  }

  /** Rows that it has, by session id, in the order in which they came, and how many came again. */
  stored(): { rows: string[]; repeats: number } {
    const lines = existsSync(this.file) ? readFileSync(this.file, 'utf8').split('\n').filter(Boolean) : [];
    const all = lines.map((line) => JSON.parse(line) as { state: string; session: string });
    const rows = all.filter(({ state }) => state === 'stored').map(({ session }) => session);
    return { rows, repeats: all.length - rows.length };
  }

  private async listen(child: Child): Promise<void> {
    try {
      for (;;) this.requests.push(JSON.parse(await child.line()));
    } catch {
      // It has ended.
    }
  }
}
