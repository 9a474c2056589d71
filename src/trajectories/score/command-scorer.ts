import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import { inParallel } from './in-parallel.js';
import { PendingLines } from './pending-lines.js';
import type { KeepOutcome, ScoreItem, Scorer } from './scorer.js';
import { wireItem } from './wire-item.js';
import { readWireScore } from './wire-score.js';

export interface CommandOptions {
  /** As the person wrote it. */
  name: string;
  /** Program and arguments. */
  argv: readonly [string, ...string[]];
  /** What makes it the same command: the digest of the file, or the line. */
  version: string;
  env: NodeJS.ProcessEnv;
  /** How long it may go without taking a line or answering one. */
  timeoutMs: number;
}

const WORDS_KEPT = 2_000;
/** Scores on their way to the disk. */
const KEPT_AT_ONCE = 256;

/**
 * A local program: started once, given a JSON line per episode on standard input, answering a line per
 * episode on standard output: `{"id", "score", …}` in any order, or without `id` in the order of the input.
 * It may read all of its input before it answers.
 */
export class CommandScorer implements Scorer {
  readonly name: string;
  readonly identity: string;
  readonly criteria = null;

  constructor(private readonly options: CommandOptions) {
    this.name = options.name;
    this.identity = JSON.stringify(['command', options.name, options.version]);
  }

  async scoreAll(items: AsyncIterable<ScoreItem>, keep: KeepOutcome): Promise<void> {
    const child = new RewardProcess(this.options);
    const pending = new PendingLines();
    const answers = this.readAnswers(child, pending, keep).catch((error: unknown) => {
      child.kill();
      throw error;
    });
    // It is awaited below; until then a failure must not count as unhandled.
    answers.catch(() => undefined);
    try {
      await this.feed(child, items, { pending, answers, keep });
      child.endInput();
      await answers;
      const end = await child.ended;
      for (const id of pending.left())
        await keep(id, { error: this.failure(`gave no score (${end})`, child) });
    } finally {
      child.kill();
    }
  }

  async close(): Promise<void> {
    // Each stream of items has a process of its own, which ends with it.
  }

  /** Hands over all items; those that come after the command has ended fail at once. */
  private async feed(
    child: RewardProcess,
    items: AsyncIterable<ScoreItem>,
    { pending, answers, keep }: { pending: PendingLines; answers: Promise<void>; keep: KeepOutcome },
  ): Promise<void> {
    let taking = true;
    for await (const item of items) {
      if (taking) {
        pending.add(item.id);
        taking = await child.send(JSON.stringify(wireItem(item)));
        continue;
      }
      await answers;
      const end = await child.ended;
      await keep(item.id, { error: this.failure(`ended before it was asked (${end})`, child) });
    }
  }

  private async readAnswers(child: RewardProcess, pending: PendingLines, keep: KeepOutcome): Promise<void> {
    await inParallel(child.lines(), KEPT_AT_ONCE, async (line) => {
      if (line.trim() === '') return;
      const answer = parseLine(line);
      const id = pending.take(answer);
      if (id === null)
        throw this.failure(`answered a line that was not asked for: ${line.slice(0, 200)}`, child);
      const score = answer === undefined ? `not JSON: ${line.slice(0, 200)}` : readWireScore(answer);
      await keep(id, typeof score === 'string' ? { error: this.failure(score, child) } : { score });
    });
  }

  private failure(what: string, child: RewardProcess): LongrunError {
    const said = child.words();
    return new LongrunError('model_rejected', `${this.name}: ${what}${said === '' ? '' : `: ${said}`}`, {
      hint: 'docs/rewards.md says what a command reads and writes.',
    });
  }
}

/** The program with its pipes, killed with all that it started. */
class RewardProcess {
  /** `exit code 1`, `SIGKILL`, or why it could not be started. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcessWithoutNullStreams;
  private stderr = '';
  private watchdog: NodeJS.Timeout | null = null;
  private done = false;

  constructor(private readonly options: CommandOptions) {
    const [program, ...args] = options.argv;
    this.child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      // Python holds back what it prints to a pipe: scores are kept as they come only if they come.
      env: { ...options.env, PYTHONUNBUFFERED: '1' },
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-WORDS_KEPT);
    });
    // A program that does not read its input to the end is no error of ours.
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.done = true;
        if (this.watchdog) clearTimeout(this.watchdog);
        resolve(how);
      };
      this.child.once('error', (error) => end(error.message));
      this.child.once('close', (code, signal) => end(signal ?? `exit code ${code}`));
    });
    this.alive();
  }

  /** False when it takes no more. Waits while its pipe is full. */
  async send(line: string): Promise<boolean> {
    const { stdin } = this.child;
    if (this.done || !stdin.writable) return false;
    if (!stdin.write(`${line}\n`))
      await Promise.race([once(stdin, 'drain').catch(() => undefined), this.ended]);
    this.alive();
    return !this.done;
  }

  endInput(): void {
    this.child.stdin.end();
  }

  async *lines(): AsyncGenerator<string> {
    for await (const line of createInterface({ input: this.child.stdout })) {
      this.alive();
      yield line;
    }
  }

  /** The end of what it said on standard error, on one line. */
  words(): string {
    return this.stderr.trim().split('\n').slice(-3).join(' | ').slice(-500);
  }

  readonly kill = (): void => {
    if (this.done || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // It has ended in this moment.
    }
  };

  private alive(): void {
    if (this.watchdog) clearTimeout(this.watchdog);
    if (this.done) return;
    this.watchdog = setTimeout(() => {
      this.stderr += `\nnothing happened for ${this.options.timeoutMs / SECOND_MS} s`;
      this.kill();
    }, this.options.timeoutMs);
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
