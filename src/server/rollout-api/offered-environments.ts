import { builtInEnvironments } from '../../../environments/index.js';
import { closest } from '../../core/text/closest.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import { planSchema, type RunRecord } from '../../store/records/records.schema.js';
import { readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import type { Environment, LoadedTask } from '../../tasks/environment.js';
import { RefusedRequest } from './refused-request.js';

/** An environment that requests may name. */
export interface Offered {
  environment: Environment;
  own: boolean;
  /** In the order in which items are handed out. */
  taskIds: readonly string[];
  load(taskId: string): Promise<LoadedTask>;
}

/**
 * The run's own environment and the built-in ones. Nothing else can be named: a request must not choose what is
 * read on this host.
 */
export class OfferedEnvironments {
  private readonly loaded = new Map<string, Promise<Offered>>();

  constructor(
    private readonly store: ArtifactStore,
    private readonly run: RunRecord,
    private readonly environmentOf: (run: RunRecord) => Environment,
  ) {}

  names(): string[] {
    const own = this.run.environment.name;
    return [own, ...Object.keys(builtInEnvironments).filter((name) => name !== own)];
  }

  all(): Promise<Offered[]> {
    return Promise.all(this.names().map((name) => this.get(name)));
  }

  /** By name; null = the own one. Throws `RefusedRequest` with what was meant. */
  get(name: string | null): Promise<Offered> {
    const wanted = name ?? this.run.environment.name;
    if (!this.names().includes(wanted)) throw noSuch('environment', wanted, this.names());
    const known = this.loaded.get(wanted) ?? this.load(wanted);
    this.loaded.set(wanted, known);
    known.catch(() => this.loaded.delete(wanted));
    return known;
  }

  private load(name: string): Promise<Offered> {
    return name === this.run.environment.name ? this.loadOwn() : loadBuiltIn(name);
  }

  /** Its tasks are those that the run froze when it started. */
  private async loadOwn(): Promise<Offered> {
    const { runId } = this.run;
    const plan = await readRecord(this.store, planSchema, keys.plan(runId));
    return {
      environment: this.environmentOf(this.run),
      own: true,
      taskIds: (plan?.tasks ?? []).map(({ taskId }) => taskId),
      // Their archives are in the store already.
      load: async (taskId) => ({ task: await readTask(this.store, runId, taskId), blobs: new Map() }),
    };
  }
}

async function loadBuiltIn(name: string): Promise<Offered> {
  const environment = (builtInEnvironments[name] as (typeof builtInEnvironments)[string])({});
  const tasks = new Map<string, LoadedTask>();
  for await (const loaded of environment.items(null)) tasks.set(loaded.task.taskId, loaded);
  return {
    environment,
    own: false,
    taskIds: [...tasks.keys()],
    load: async (taskId) => tasks.get(taskId) as LoadedTask,
  };
}

/** Throws `RefusedRequest` where the environment has no such item. */
export function requireItem({ taskIds, environment }: Offered, item: string): void {
  if (!taskIds.includes(item)) throw noSuch('item', item, taskIds, ` in ${environment.name}`);
}

const SHOWN = 20;

function noSuch(field: string, found: string, accepted: readonly string[], where = ''): RefusedRequest {
  const meant = closest(found, accepted);
  const hint = meant === null ? '' : `; did you mean ${meant}?`;
  const shown = accepted.slice(0, SHOWN).join(', ') + (accepted.length > SHOWN ? ', …' : '');
  return new RefusedRequest(`there is no ${field} ${JSON.stringify(found)}${where}${hint}`, field, shown);
}
