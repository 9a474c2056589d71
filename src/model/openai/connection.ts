import type { Dispatcher } from 'undici';

/** How requests reach an endpoint. */
export interface Connection {
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Node's own fetch ends every answer that takes longer than five minutes to begin, and a model that
 * thinks takes longer: the limits of the transport are off, the call's own clock rules.
 */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } };

/** Opens connections to one endpoint; outside this machine the usual proxy variables are obeyed. */
export async function openConnection(
  loopback: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Connection> {
  const undici = await import('undici');
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY'].some((name) => env[name] || env[name.toLowerCase()]);
  const dispatcher: Dispatcher =
    proxied && !loopback ? new undici.EnvHttpProxyAgent(LIMITS) : new undici.Agent(LIMITS);
  const send = (url: string, init: Record<string, unknown>) => undici.fetch(url, { ...init, dispatcher });
  return { fetch: send as unknown as typeof globalThis.fetch, close: () => dispatcher.destroy() };
}
