import { LongrunError } from '../core/errors.js';
import { withoutTrailingSlashes } from '../core/text/without-trailing-slashes.js';

export const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
/** As `apiKeyEnv`: the endpoint asks for no key. */
export const NO_KEY = 'none';

/** Where a model is served and who we are there. `apiKey` never leaves this object but as a header. */
export interface Endpoint {
  baseUrl: string;
  /** Null = none is sent. */
  apiKey: string | null;
  loopback: boolean;
}

export interface EndpointSettings {
  baseUrl: string | null;
  apiKeyEnv: string;
}

/** The key for an endpoint that is named in the place of one's own: none, unless it is of the same origin. */
export function keyAt(own: EndpointSettings, baseUrl: string | null): string {
  const originOf = (url: string | null): string => new URL(url ?? DEFAULT_BASE_URL).origin;
  return originOf(baseUrl) === originOf(own.baseUrl) ? own.apiKeyEnv : NO_KEY;
}

/** The endpoint of a run. Throws `model_key_missing`, unless the endpoint is on this machine. */
export function resolveEndpoint(
  settings: EndpointSettings,
  env: Readonly<Record<string, string | undefined>>,
): Endpoint {
  const baseUrl = withoutTrailingSlashes(settings.baseUrl ?? DEFAULT_BASE_URL);
  const loopback = isLoopback(baseUrl);
  const apiKey = settings.apiKeyEnv === NO_KEY ? null : (env[settings.apiKeyEnv]?.trim() ?? '') || null;
  if (apiKey === null && !loopback && settings.apiKeyEnv !== NO_KEY) {
    throw new LongrunError(
      'model_key_missing',
      `${settings.apiKeyEnv} is not set, and ${publicUrl(baseUrl)} needs an API key`,
      {
        hint: `Set ${settings.apiKeyEnv}, name another variable with --api-key-env, or say --api-key-env ${NO_KEY} for an endpoint without keys`,
        exitCode: 2,
      },
    );
  }
  return { baseUrl, apiKey, loopback };
}

export function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || host === '0.0.0.0' || /^127\./.test(host);
}

/** An address fit for a message: without user, password and query. */
export function publicUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
