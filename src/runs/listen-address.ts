import { badInput } from '../core/errors.js';

export interface ListenAddress {
  host: string;
  port: number;
}

const DEFAULT_HOST = '127.0.0.1';
const MAX_PORT = 65_535;

/** `HOST:PORT`, `:PORT` or `[IPV6]:PORT`, as the settings accept it. Errors: `bad_input` for a port that is none. */
export function listenAddress(text: string): ListenAddress {
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  const host = text.slice(0, at).replace(/^\[|\]$/g, '') || DEFAULT_HOST;
  if (port <= MAX_PORT) return { host, port };
  throw badInput(`--listen: found port ${port}, accepted: from 0 to ${MAX_PORT} (0 = a free one).`);
}

/** Whether only this machine can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
