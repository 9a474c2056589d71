import type { Task } from '../core/rollout/task.schema.js';
import type { HostEnv } from './passed-env.js';
import { hostValue, references } from './resolve-env.js';

/** A place in a task that refers to a variable of the host. */
export interface AskedVariable {
  variable: string;
  /** `verifier.env.JUDGE_KEY`, as in task.toml. */
  place: string;
  /** What stands there. */
  value: string;
  hasDefault: boolean;
  /** Wanted only where the reference solution is run. */
  solution: boolean;
}

type Table = [place: string, env: Readonly<Record<string, string>>, solution?: boolean];

/** Every reference of a task to variables of the host, in the order of its tables. */
export function askedVariables({ metadata, evalCriteria: { steps } }: Task): AskedVariable[] {
  const tables: Table[] = [
    ['environment.env', metadata.sandbox.env],
    ...steps.flatMap(({ name, verifier, solutionEnv }): Table[] => {
      const at = steps.length === 1 ? '' : `steps.${name}.`;
      return [
        [`${at}verifier.env`, verifier.env],
        [`${at}verifier.environment.env`, verifier.sandbox?.env ?? {}],
        [`${at}solution.env`, solutionEnv, true],
      ];
    }),
  ];
  return tables.flatMap(([table, env, solution = false]) =>
    Object.entries(env).flatMap(([key, value]) =>
      references(value).map(({ variable, fallback }) => ({
        ...{ variable, place: `${table}.${key}`, value, solution },
        hasDefault: fallback !== undefined,
      })),
    ),
  );
}

/** What a task asks for without a default and does not get, each variable once; `solution`: its solution is run. */
export function missingVariables(task: Task, host: HostEnv, solution: boolean): AskedVariable[] {
  const missing = askedVariables(task).filter(
    (asked) =>
      (solution || !asked.solution) && !asked.hasDefault && hostValue(host, asked.variable) === undefined,
  );
  return [...new Map(missing.reverse().map((asked) => [asked.variable, asked])).values()].reverse();
}
