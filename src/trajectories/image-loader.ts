import { constants, open } from 'node:fs/promises';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { badInput, type LongrunError } from '../core/errors.js';
import type { ImageLoader } from '../core/trajectory/extract-images.js';
import { readImageHeader } from '../core/trajectory/image-header.js';
import { checkedLookup, type Resolve } from '../model/checked-lookup.js';
import { blockList } from '../model/refused-address.js';

export interface ImageLoaderOptions {
  /** Of one image. */
  maxBytes?: number;
  /** Until the last byte of one image, redirects included. */
  timeoutMs?: number;
  /**
   * Loopback, private networks and the like are refused, since sources are written by models and tasks: unless
   * this is true, or names the host (`images.internal`, `10.0.0.5`).
   */
  allowPrivateAddresses?: boolean | readonly string[];
  /** The addresses of a host name; by default what the system says. */
  resolve?: Resolve;
}

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Reads images where their sources say. Errors: `bad_input`, for whatever is not there, too large, no image or not allowed. */
export function createImageLoader(options: ImageLoaderOptions = {}): ImageLoader {
  const { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = options;
  const limits = { maxBytes, timeoutMs };
  return {
    async load(source) {
      const bytes = await read(source, limits, options);
      if (readImageHeader(bytes) === null) throw badInput('it is no PNG, JPEG, GIF or WebP');
      return bytes;
    },
  };
}

interface Limits {
  maxBytes: number;
  timeoutMs: number;
}

function read(source: string, limits: Limits, options: ImageLoaderOptions): Promise<Uint8Array> {
  if (/^data:/i.test(source)) return readData(source, limits);
  if (/^https?:\/\//i.test(source)) return readHttp(source, limits, options);
  return readFile(/^file:\/\//i.test(source) ? fileURLToPath(source) : source, limits);
}

async function readData(source: string, { maxBytes }: Limits): Promise<Uint8Array> {
  const comma = source.indexOf(',');
  if (!/^data:image\/[^,]*;base64$/i.test(source.slice(0, comma)))
    throw badInput('it is no data:image in base64');
  if ((source.length - comma) * 0.75 > maxBytes + 3) throw tooLarge(maxBytes);
  return Buffer.from(source.slice(comma + 1), 'base64');
}

async function readFile(path: string, { maxBytes }: Limits): Promise<Uint8Array> {
  // Opening a named pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw badInput('it is no regular file');
    if (found.size > maxBytes) throw tooLarge(maxBytes);
    return await bounded(file.createReadStream({ autoClose: false }), maxBytes);
  } finally {
    await file.close();
  }
}

async function readHttp(source: string, limits: Limits, options: ImageLoaderOptions): Promise<Uint8Array> {
  const dispatcher = new Agent({
    connect: {
      lookup: checkedLookup(
        (host, address) => (isRefused(host, address, options) ? privateAddress(host, address) : null),
        options.resolve,
      ),
    },
  });
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    let url = new URL(source);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      refuseLiteral(url, options);
      const { statusCode, headers, body } = await request(url, { dispatcher, signal });
      if (statusCode >= 200 && statusCode < 300) return await bounded(body, limits.maxBytes);
      await body.dump({ limit: 64 * 1024 });
      const { location } = headers;
      if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string') {
        throw badInput(`the server answered ${statusCode}`);
      }
      url = new URL(location, url);
      if (!/^https?:$/.test(url.protocol)) throw badInput(`it is redirected to ${url.protocol}`);
    }
    throw badInput(`it is redirected more than ${MAX_REDIRECTS} times`);
  } finally {
    await dispatcher.destroy();
  }
}

async function bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Nothing is looked up for an address that stands in the URL itself. */
function refuseLiteral({ hostname }: URL, options: ImageLoaderOptions): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && isRefused(host, host, options)) throw privateAddress(host, host);
}

function isRefused(
  host: string,
  address: string,
  { allowPrivateAddresses: allowed }: ImageLoaderOptions,
): boolean {
  if (allowed === true || (Array.isArray(allowed) && allowed.includes(host))) return false;
  return NOT_PUBLIC.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** https://www.iana.org/assignments/iana-ipv4-special-registry and its sibling for IPv6: what not everybody can reach. */
const NOT_PUBLIC = blockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/127', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
]);

const tooLarge = (maxBytes: number): LongrunError => badInput(`it has more than ${maxBytes} bytes`);
const privateAddress = (host: string, address: string): LongrunError =>
  badInput(
    `${host === address ? host : `${host} (${address})`} is no public address`,
    'Allow it by name where its images may be loaded.',
  );
