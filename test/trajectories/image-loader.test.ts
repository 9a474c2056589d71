import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chat } from '../../src/core/trajectory/chat.js';
import { createImageLoader, type ImageLoaderOptions } from '../../src/trajectories/image-loader.js';
import { dataUrl, GIF, PNG } from '../core/trajectory/images.js';

const LARGE = Buffer.concat([PNG, Buffer.alloc(3_000)]);

const ANSWERS: Record<string, RequestListener> = {
  '/image': (_, response) => response.end(PNG),
  '/page': (_, response) => response.end('<html>'),
  '/large': (_, response) => response.end(LARGE),
  '/large-in-pieces': (_, response) => {
    response.write(PNG);
    response.end(Buffer.alloc(3_000));
  },
  '/moved': (_, response) => response.writeHead(302, { location: '/image' }).end(),
  '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/inside': (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/image` }).end(),
  '/inside-by-name': (_, response) =>
    response.writeHead(302, { location: `http://metadata.test:${port}/image` }).end(),
  '/stalls': (_, response) => response.write(PNG.subarray(0, 10)),
};
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  const answer = ANSWERS[request.url ?? ''];
  if (answer) answer(request, response);
  else response.writeHead(404).end();
});
let port = 0;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-images-'));
  await writeFile(join(folder, 'a b.png'), PNG);
  await writeFile(join(folder, 'large.png'), LARGE);
  await promisify(execFile)('mkfifo', [join(folder, 'pipe.png')]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const load = (source: string, options: ImageLoaderOptions = {}) =>
  createImageLoader({ maxBytes: 1_000, ...options }).load(source);
/** As from outside: every name is this server, `images.test` alone may have a private address. */
const loadRemote = (path: string, options: ImageLoaderOptions = {}) =>
  load(`http://images.test:${port}${path}`, {
    allowPrivateAddresses: ['images.test'],
    resolve: async () => ['127.0.0.1'],
    ...options,
  });

describe('an image is loaded from', () => {
  it('a data URL, a path, a file URL', async () => {
    expect(await load(dataUrl(GIF, 'image/gif'))).toEqual(GIF);
    expect(await load(join(folder, 'a b.png'))).toEqual(PNG);
    expect(await load(pathToFileURL(join(folder, 'a b.png')).href)).toEqual(PNG);
  });

  it('a server, also one that sends it elsewhere first', async () => {
    expect(await loadRemote('/image')).toEqual(PNG);
    expect(await loadRemote('/moved')).toEqual(PNG);
    expect(await load(`http://127.0.0.1:${port}/image`, { allowPrivateAddresses: true })).toEqual(PNG);
  });
});

describe('an image is refused', () => {
  it.each([
    ['data of another kind', 'data:text/plain;base64,aGk=', /no data:image/],
    ['data that is no image', 'data:image/png;base64,aGk=', /no PNG/],
    ['data over the limit', dataUrl(LARGE), /more than 1000 bytes/],
    ['a file that is not there', '/nowhere/a.png', /ENOENT/],
    ['a folder', tmpdir(), /no regular file/],
    ['a file of the system', 'file:///etc/passwd', /no PNG|more than/],
  ])('%s', async (_, source, message) => {
    await expect(load(source)).rejects.toThrow(message);
  });

  it('a file over the limit, a named pipe', async () => {
    await expect(load(join(folder, 'large.png'))).rejects.toThrow('more than 1000 bytes');
    await expect(load(join(folder, 'pipe.png'))).rejects.toThrow('no regular file');
  });

  it.each([
    ['/missing', /answered 404/],
    ['/page', /no PNG/],
    ['/large', /more than 1000 bytes/],
    ['/large-in-pieces', /more than 1000 bytes/],
    ['/round', /more than 5 times/],
    ['/to-file', /redirected to file:/],
  ])('from a server: %s', async (path, message) => {
    await expect(loadRemote(path)).rejects.toThrow(message);
  });

  it('from a server that does not come to an end', async () => {
    await expect(loadRemote('/stalls', { timeoutMs: 200 })).rejects.toThrow(/timeout/i);
  });
});

describe('what only this machine or its network can reach', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
    '[fe80::1]',
    'localhost',
  ])('is not asked for an image: %s', async (host) => {
    asked = [];
    await expect(load(`http://${host}:${port}/image`)).rejects.toThrow('is no public address');
    expect(asked).toEqual([]);
  });

  it('is not asked where a name has such an address beside a public one', async () => {
    const resolve = async () => ['192.0.2.1', '127.0.0.1'];
    const loading = load(`http://both.test:${port}/image`, { resolve });
    await expect(loading).rejects.toThrow('both.test (127.0.0.1) is no public address');
  });

  it.each([
    ['/inside', '127.0.0.1 is no public address'],
    ['/inside-by-name', 'metadata.test (127.0.0.1) is no public address'],
  ])('is not asked where a server sends there: %s', async (path, message) => {
    asked = [];
    await expect(loadRemote(path)).rejects.toThrow(message);
    expect(asked).toEqual([path]);
  });
});

it('the images of a chat are those that can be loaded', async () => {
  const warnings: string[] = [];
  const images = await Chat.of({
    messages: [
      {
        role: 'user',
        label: null,
        content: [
          { type: 'image_url', imageUrl: { url: `http://127.0.0.1:${port}/image` } },
          { type: 'image', image: join(folder, 'a b.png') },
          { type: 'image_url', imageUrl: { url: dataUrl(GIF, 'image/gif') } },
        ],
      },
    ],
  }).extractImages({ loader: createImageLoader(), onWarning: (text) => warnings.push(text) });
  expect(images.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'image/gif']);
  expect(warnings).toEqual([
    `image http://127.0.0.1:${port}/image is left out: 127.0.0.1 is no public address`,
  ]);
});
