import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { MINUTE_MS, SECOND_MS } from '../core/time.js';
import { keys } from '../store/keys.js';

const PATIENCE_MS = 5 * SECOND_MS;
/** What hangs for so long may hang for ever, on a connection that broke without a word. */
const ASK_AGAIN_MS = MINUTE_MS;

/** What a host needs in order to work, each asked for real: null when it answered, else why not. */
export type HealthChecks = Record<'workers' | 'temporal' | 'store' | 'engine', string | null>;

type Asked = 'temporal' | 'store' | 'engine';

/** Asks all that a host needs whether it answers, at once, five seconds each. */
export class HostHealth {
  /** Questions without an answer: while one hangs it is rarely asked again, since each would keep a connection. */
  private readonly open = new Map<Asked, { answer: Promise<string | null>; sinceMs: number }>();

  constructor(
    private readonly deps: Pick<ActivityDeps, 'store' | 'drivers' | 'clusterId'>,
    private readonly client: Pick<Client, 'withDeadline' | 'workflowService'>,
  ) {}

  async check(polling: boolean): Promise<HealthChecks> {
    const { store, drivers, clusterId } = this.deps;
    const { client } = this;
    const [temporal, kept, engine] = await Promise.all([
      this.troubleOf('temporal', () =>
        client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.getSystemInfo({})),
      ),
      this.troubleOf('store', () => store.get(keys.installation)),
      this.troubleOf('engine', () =>
        Promise.all([...drivers.values()].map((driver) => driver.list(clusterId))),
      ),
    ]);
    return { workers: polling ? null : 'the workers have stopped polling', temporal, store: kept, engine };
  }

  private async troubleOf(name: Asked, ask: () => Promise<unknown>): Promise<string | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${PATIENCE_MS / SECOND_MS} s`), PATIENCE_MS);
    });
    try {
      return await Promise.race([this.answerOf(name, ask), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private answerOf(name: Asked, ask: () => Promise<unknown>): Promise<string | null> {
    const asked = this.open.get(name);
    const sinceMs = performance.now();
    if (asked !== undefined && sinceMs - asked.sinceMs < ASK_AGAIN_MS) return asked.answer;
    const answer = ask()
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        if (this.open.get(name)?.answer === answer) this.open.delete(name);
      });
    this.open.set(name, { answer, sinceMs });
    return answer;
  }
}
