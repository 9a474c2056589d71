import { hostValues } from './resolve-env.js';

type Env = Readonly<Record<string, string>>;

/** Shorter values are no secrets, and taking them out would mangle the text. */
const SECRET_MIN_CHARS = 6;

/**
 * Text without what the host's environment gave to a task: it is going to be stored, and a sandbox
 * that prints its environment must not put a key into a record.
 */
export function withoutHostValues(
  text: string,
  tables: readonly Env[],
  host: Readonly<Record<string, string | undefined>>,
): string {
  const secrets = tables
    .flatMap((env) => hostValues(env, host))
    .filter((value) => value.length >= SECRET_MIN_CHARS);
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
}
