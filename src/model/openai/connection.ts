import type { Dispatcher } from 'undici';
import { LongrunError } from '../../core/errors.js';
import { checkedLookup } from '../checked-lookup.js';
import { publicUrl } from '../endpoint.js';
import { isRefusedAddress, refusedHost } from '../refused-address.js';

/** How requests reach an endpoint. */
export interface Connection {
  /**
   * Keys and prompts go to the named origin alone. Throws `model_rejected` for a redirect, and for hosts that are never
   * asked, here or as the cause of what it throws.
   */
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const lookup = checkedLookup((host, address) =>
  isRefusedAddress(address)
    ? neverAsked(`${host} (${address})`, 'a link-local address or a metadata service')
    : null,
);
/**
 * Node's own fetch ends every answer that takes longer than five minutes to begin, and a model that
 * thinks takes longer: the limits of the transport are off, the call's own clock rules.
 */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS, lookup } };

/** Opens connections to one endpoint; outside this machine the usual proxy variables are obeyed. */
export async function openConnection(
  loopback: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Connection> {
  const undici = await import('undici');
  const proxied = ['HTTP_PROXY', 'HTTPS_PROXY'].some((name) => env[name] || env[name.toLowerCase()]);
  const dispatcher: Dispatcher =
    proxied && !loopback ? new undici.EnvHttpProxyAgent(LIMITS) : new undici.Agent(LIMITS);
  const send = async (url: string, init: Record<string, unknown>) => {
    const why = refusedHost(new URL(url).hostname);
    if (why !== null) throw neverAsked(new URL(url).host, why);
    const response = await undici.fetch(url, { ...init, redirect: 'manual', dispatcher });
    const target = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || target === null) return response;
    await response.body?.cancel();
    throw redirected(url, response.status, target);
  };
  return { fetch: send as unknown as typeof globalThis.fetch, close: () => dispatcher.destroy() };
}

function redirected(url: string, status: number, target: string): LongrunError {
  const origin = URL.canParse(target, url) ? new URL(target, url).origin : 'an address that cannot be read';
  return new LongrunError(
    'model_rejected',
    `${publicUrl(url)}: redirects to ${origin} (${status}), where keys and prompts are not sent`,
    { hint: 'Name the address that answers itself, if it is to be trusted', details: { status } },
  );
}

function neverAsked(host: string, why: string): LongrunError {
  return new LongrunError('model_rejected', `${host} is ${why}: nothing is sent there`, {
    hint: 'Name the host that serves the model; check what its name resolves to',
    exitCode: 2,
  });
}
