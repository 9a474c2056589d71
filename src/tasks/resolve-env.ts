import { LongrunError } from '../core/errors.js';

type HostEnv = Readonly<Record<string, string | undefined>>;

const WHOLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*):-((?:(?!\$\{)[\s\S])*)\}$/;
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}/g;

/**
 * Fills `${VAR}` and `${VAR:-default}` in a task's environment from the host's. Tasks are stored with
 * the references, so that what they stand for (keys of judges) never reaches a record.
 * Error: `task_invalid` naming every variable that is missing.
 */
export function resolveEnv(env: Readonly<Record<string, string>>, host: HostEnv): Record<string, string> {
  const missing = missingVariables(env, host);
  if (missing.length > 0) {
    const names = missing.map(({ variable }) => variable).join(', ');
    throw new LongrunError('task_invalid', `The task needs ${names} from the host's environment.`, {
      hint: `Set ${names} where the worker runs.`,
      details: { missing },
    });
  }
  return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value, host)]));
}

/** The references that have neither a value nor a default. */
export function missingVariables(
  env: Readonly<Record<string, string>>,
  host: HostEnv,
): { key: string; variable: string }[] {
  return Object.entries(env).flatMap(([key, value]) =>
    references(value)
      .filter(({ variable, fallback }) => host[variable] === undefined && fallback === undefined)
      .map(({ variable }) => ({ key, variable })),
  );
}

/** Values that came from the host, for taking them out of text that is going to be stored. */
export function hostValues(env: Readonly<Record<string, string>>, host: HostEnv): string[] {
  const values = Object.values(env).flatMap((value) =>
    references(value).flatMap(({ variable }) => host[variable] ?? []),
  );
  return [...new Set(values)];
}

interface Reference {
  variable: string;
  fallback: string | undefined;
}

function references(value: string): Reference[] {
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
  if (whole) return host[whole[1] as string] ?? (whole[2] as string);
  return value.replace(
    REFERENCE,
    (_, variable: string, fallback?: string) => host[variable] ?? fallback ?? '',
  );
}
