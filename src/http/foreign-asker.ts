import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from './loopback-host.js';

/** A name or an address, and perhaps a port. What a URL may have besides (a user, a path) is no part of a host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** Somebody who asks from elsewhere, as far as headers tell. */
export interface ForeignAsker {
  code: 'foreign_host' | 'foreign_page';
  /** The name by which this machine was asked, or the site whose page asks. */
  who: string;
}

/**
 * Whether a page of another site asks; null when it does not. Browsers say where a page comes from, other programs do
 * not. What a page embeds is asked for without an origin, and browsers mark that otherwise. A name that somebody has
 * pointed at this machine makes a page of theirs look like one of ours (DNS rebinding): only names of this machine count.
 */
export function foreignAsker(headers: IncomingHttpHeaders, listensOn: string): ForeignAsker | null {
  const { host, origin } = headers;
  if (!isOwnName(host, listensOn)) return { code: 'foreign_host', who: host ?? '' };
  if (isForeignPage(origin, headers['sec-fetch-site']))
    return { code: 'foreign_page', who: origin ?? 'another site' };
  return null;
}

/** Browsers always say whom they mean to ask; what does not (HTTP/1.0) is none. */
function isOwnName(host: string | undefined, listensOn: string): boolean {
  if (host === undefined) return true;
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false;
  const name = bareHost(new URL(`http://${host}`));
  return isLoopbackHost(name) || name === listensOn.toLowerCase();
}

function isForeignPage(origin: string | undefined, site: unknown): boolean {
  if (origin === undefined) return site === 'cross-site' || site === 'same-site';
  return !(URL.canParse(origin) && isLoopbackHost(bareHost(new URL(origin))));
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
