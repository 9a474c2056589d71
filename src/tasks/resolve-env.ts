import { LongrunError } from '../core/errors.js';
import type { HostEnv } from './passed-env.js';

const WHOLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*):-((?:(?!\$\{)[\s\S])*)\}$/;
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}/g;

/**
 * Fills `${VAR}` and `${VAR:-default}` in a task's environment from the host's. Tasks are stored with
 * the references, so that what they stand for (keys of judges) never reaches a record.
 * Error: `task_invalid` naming every variable that is missing.
 */
export function resolveEnv(env: Readonly<Record<string, string>>, host: HostEnv): Record<string, string> {
  const missing = Object.values(env)
    .flatMap(references)
    .filter(({ variable, fallback }) => hostValue(host, variable) === undefined && fallback === undefined);
  if (missing.length > 0) {
    const names = [...new Set(missing.map(({ variable }) => variable))].join(', ');
    throw new LongrunError('task_invalid', `The task needs ${names} from the host's environment.`, {
      hint: `Name them with --pass-env when the run is started, and set them where its workers run.`,
    });
  }
  return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value, host)]));
}

export interface Reference {
  variable: string;
  fallback: string | undefined;
}

/** The host's variables that a value refers to. */
export function references(value: string): Reference[] {
  const whole = WHOLE.exec(value);
  if (whole) return [{ variable: whole[1] as string, fallback: whole[2] }];
  return [...value.matchAll(REFERENCE)].map((match) => ({
    variable: match[1] as string,
    fallback: match[2],
  }));
}

function fill(value: string, host: HostEnv): string {
  // A default that is the whole value may hold braces (JSON).
  const whole = WHOLE.exec(value);
  if (whole) return hostValue(host, whole[1] as string) ?? (whole[2] as string);
  return value.replace(
    REFERENCE,
    (_, variable: string, fallback?: string) => hostValue(host, variable) ?? fallback ?? '',
  );
}

/** Names such as `constructor` are found in every object. */
export function hostValue(host: HostEnv, variable: string): string | undefined {
  return Object.hasOwn(host, variable) ? host[variable] : undefined;
}
