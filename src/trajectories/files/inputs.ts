import { badInput, LongrunError } from '../../core/errors.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ImportFormatName } from '../../formats/import-format.js';
import { readEpisode } from '../../records/episodes-of-run.js';
import type { RolloutResult } from '../../store/records/records.schema.js';
import { iterateResults, readPlan, readResult, readRun, trajectoryKey } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { findInputs } from './find-inputs.js';
import type { InputSource } from './input-source.js';
import { readEpisodes } from './read-file.js';
import type { Rejection } from './rejection.js';

export interface InputDeps {
  /** Opened only when a name may be a run. */
  openStore(): Promise<ArtifactStore>;
  /** Told of each line that cannot be read, once, however often the input is read. */
  onRejected?(rejection: Rejection): void | Promise<void>;
  /** A line that cannot be read is an error. */
  strict?: boolean;
  /** Files are of this format; null or left out: told by their first rows. */
  format?: ImportFormatName | null;
}

/** Episodes from wherever they are, one in memory at a time. */
export interface EpisodeInputs {
  /** A new pass from the start with every call. Errors: `bad_input`; with `strict` also for a broken line. */
  read(): AsyncIterable<Episode>;
  readonly sources: readonly InputSource[];
  /** For people: what is read, `run tblite-… and 3 files`. */
  readonly description: string;
}

/** Finds the inputs that were named, without reading them. Errors: `bad_input`, `not_found` (exit code 2). */
export async function openInputs(names: readonly string[], deps: InputDeps): Promise<EpisodeInputs> {
  const sources = await findInputs(names, deps.openStore);
  const rejections = new RejectedOnce(deps);
  return {
    sources,
    description: describe(sources),
    read: async function* () {
      for (const source of sources) yield* readSource(source, deps, rejections);
    },
  };
}

async function* readSource(
  source: InputSource,
  deps: InputDeps,
  rejections: RejectedOnce,
): AsyncGenerator<Episode> {
  if (source.kind !== 'file') return yield* readResults(source, rejections);
  const reject = (rejection: Rejection): Promise<void> => rejections.add(rejection);
  try {
    yield* readEpisodes(source.path, { format: deps.format ?? null, reject });
  } catch (error) {
    // What merely lies in a folder need not be trajectories; what was named has to be.
    if (!source.found || deps.strict || !LongrunError.is(error, 'bad_input')) throw error;
    await rejections.add({ file: source.path, line: 1, reason: error.message, raw: '' });
  }
}

/** The finished rollouts of a run, in the order of its plan. */
async function* readResults(
  source: Exclude<InputSource, { kind: 'file' }>,
  rejections: RejectedOnce,
): AsyncGenerator<Episode> {
  const { store } = source;
  const run = await readRun(store, source.kind === 'run' ? source.runId : source.rollout.runId);
  for await (const result of resultsOf(source)) {
    try {
      yield await readEpisode(store, run, result);
    } catch (error) {
      if (!LongrunError.is(error) || error.retryable) throw error;
      const file = store.locate(trajectoryKey(run.runId, result));
      await rejections.add({ file, line: 1, reason: error.message, raw: '' });
    }
  }
}

async function* resultsOf(source: Exclude<InputSource, { kind: 'file' }>): AsyncGenerator<RolloutResult> {
  const { store } = source;
  if (source.kind === 'run')
    return yield* iterateResults(store, source.runId, await readPlan(store, source.runId));
  const result = await readResult(store, source.rollout);
  if (result === null) throw badInput(`${source.name} has not finished, or is not a rollout of its run.`);
  yield result;
}

/** Passes on what was not told before: a second pass finds the same lines broken. */
class RejectedOnce {
  private readonly told = new Map<string, number>();

  constructor(private readonly deps: Pick<InputDeps, 'onRejected' | 'strict'>) {}

  async add(rejection: Rejection): Promise<void> {
    const { file, line, reason } = rejection;
    if (line <= (this.told.get(file) ?? 0)) return;
    this.told.set(file, line);
    if (this.deps.strict)
      throw badInput(`${file}:${line}: ${reason}`, 'Without --strict such lines are set aside.');
    await this.deps.onRejected?.(rejection);
  }
}

function describe(sources: readonly InputSource[]): string {
  const files = sources.filter(({ kind }) => kind === 'file').length;
  const named = sources.filter(({ kind }) => kind !== 'file').map(({ kind, name }) => `${kind} ${name}`);
  if (files === 1) named.push(sources.find((source) => source.kind === 'file')?.path ?? '');
  else if (files > 1) named.push(`${files} files`);
  return named.join(', ');
}
