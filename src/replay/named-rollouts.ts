import { badInput, LongrunError } from '../core/errors.js';
import { parseRolloutId, type RolloutKey } from '../core/ids.js';

/** The planned rollouts of a run that are named, in their order; all where none is. Errors: `bad_input`, `not_found`. */
export function namedRollouts(
  runId: string,
  planned: readonly RolloutKey[],
  ids: readonly string[],
): RolloutKey[] {
  if (ids.length === 0) return [...planned];
  const byName = new Map(planned.map((key) => [nameOf(key), key]));
  const wanted = new Set(ids.map((id) => nameIn(byName, runId, id)));
  return [...byName].flatMap(([name, key]) => (wanted.has(name) ? [key] : []));
}

const nameOf = ({ taskId, sample }: RolloutKey): string => `${taskId}/${sample}`;

/** `id`: `run/task/sample`, or without the run. */
function nameIn(planned: ReadonlyMap<string, RolloutKey>, runId: string, id: string): string {
  const key = parseRolloutId(id.split('/').length === 2 ? `${runId}/${id}` : id);
  if (key === null || key.runId !== runId) {
    throw badInput(
      `--rollout: "${id}" is not the id of a rollout of run ${runId}.`,
      'It has the form run/task/sample, or task/sample.',
    );
  }
  const name = nameOf(key);
  if (planned.has(name)) return name;
  throw new LongrunError('not_found', `run ${runId} has no rollout ${name}`, {
    hint: `longrun runs show ${runId} lists them.`,
  });
}
