import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { KeyPair } from './certificates.js';

const END_STREAM = 0x1;

/** What a cluster in the cloud has in front of it: TLS with client certificates, before a plain gRPC server. */
export class TlsDoor {
  /** Headers of every call that came through. */
  readonly calls: IncomingHttpHeaders[] = [];

  private constructor(
    private readonly server: Http2SecureServer,
    private readonly inside: ClientHttp2Session,
  ) {
    server.on('stream', (stream, headers) => this.passOn(stream, headers));
  }

  static async open(target: string, own: KeyPair, authority: string): Promise<TlsDoor> {
    const inside = connect(`http://${target}`);
    const server = createSecureServer({
      cert: readFileSync(own.certificate),
      key: readFileSync(own.key),
      ca: readFileSync(authority),
      requestCert: true,
      rejectUnauthorized: true,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TlsDoor(server, inside);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.inside.destroy();
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const session of this.sessions) session.destroy();
    await closed;
  }

  private readonly sessions = new Set<NonNullable<ServerHttp2Stream['session']>>();

  private passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    if (stream.session) this.sessions.add(stream.session);
    this.calls.push(headers);
    const { ':authority': _authority, ':scheme': _scheme, ...rest } = headers;
    const inner = this.inside.request(rest);
    let trailers: IncomingHttpHeaders = {};
    inner.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      const ends = (flags & END_STREAM) !== 0;
      stream.respond(answer, ends ? { endStream: true } : { waitForTrailers: true });
      if (!ends) inner.pipe(stream);
    });
    inner.on('trailers', (found) => {
      trailers = found;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    // A long poll that its caller gives up ends on both sides.
    stream.on('close', () => inner.close(constants.NGHTTP2_CANCEL));
    stream.on('error', () => inner.close(constants.NGHTTP2_CANCEL));
    inner.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    stream.pipe(inner);
  }
}
