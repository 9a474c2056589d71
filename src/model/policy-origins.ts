import { badInput } from '../core/errors.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { DEFAULT_BASE_URL } from './endpoint.js';
import { refusedHost } from './refused-address.js';
import { isScripted } from './scripted/scripted-name.js';

type Served = Pick<RunConfig, 'model' | 'baseUrl' | 'serve'>;

/** What keeps model calls of a run from going to an address that somebody else names; null = nothing does. */
export interface RefusedEndpoint {
  /** `http://10.0.0.7:9 is not among the origins of this run`. */
  why: string;
  /** In words. */
  accepted: string;
}

export function refusedEndpoint(config: Served, url: string): RefusedEndpoint | null {
  const { origin, hostname } = new URL(url);
  const origins = originsOf(config);
  const accepted =
    origins === null
      ? 'any other address'
      : `${origins.length === 0 ? 'none' : `an address at ${origins.join(' or ')}`}; --policy-origin names others when the run is started`;
  const why = refusedHost(hostname);
  if (why !== null) return { why: `${origin} is ${why}`, accepted };
  if (origins === null || origins.includes(origin)) return null;
  return { why: `${origin} is not where this run may ask for answers`, accepted };
}

/** The run's own, unless no endpoint answers it, and those of its settings; null = any. */
function originsOf({ model, baseUrl, serve }: Served): string[] | null {
  const more = serve?.policyOrigins ?? null;
  if (more === null) return null;
  const own = model === null || isScripted(model) ? [] : [new URL(baseUrl ?? DEFAULT_BASE_URL).origin];
  return [...new Set([...own, ...more])];
}

/** The origins that a setting lists. Errors: `bad_input` for addresses with a path, and for those that are never asked. */
export function policyOriginsOf(listed: readonly string[]): string[] {
  const origins = listed.map((found) => {
    const { origin, hostname, pathname, search, hash } = new URL(found);
    const why = refusedHost(hostname);
    if (why !== null)
      throw badInput(`--policy-origin: found "${found}", which is ${why}; accepted: other hosts.`);
    if (pathname + search + hash === '/') return origin;
    throw badInput(
      `--policy-origin: found "${found}", accepted: scheme, host and port alone.`,
      `Did you mean ${origin}?`,
    );
  });
  return [...new Set(origins)].sort();
}
