import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request: passed on, passed on without its answer reaching the client, or answered here. */
export type Fault = 'pass' | 'lose-answer' | 'break-answer' | { status: number; code: string };

/** Stands between a client and a real S3 server, and does to requests what networks and busy servers do. */
export class FaultProxy {
  /** Asked for every request, in order. */
  decide: (method: string, path: string) => Fault = () => 'pass';
  readonly seen: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(target: string): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, new URL(target));
    server.on('request', (incoming, answer) => proxy.handle(incoming, answer));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handle(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    const fault = this.decide(method, url);
    this.seen.push(method);
    if (typeof fault === 'object') {
      refuse(incoming, answer, fault);
      return;
    }
    const { hostname, port } = this.target;
    // The signature covers the host that the client knows: it goes along unchanged.
    const outgoing = request({ hostname, port, method, path: url, headers }, (upstream) => {
      if (fault === 'lose-answer') {
        upstream.resume();
        upstream.once('end', () => incoming.socket.destroy());
        return;
      }
      answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
      if (fault === 'pass') {
        upstream.pipe(answer);
        return;
      }
      upstream.once('data', (chunk) => {
        answer.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => incoming.socket.destroy());
        upstream.resume();
      });
    });
    outgoing.once('error', () => incoming.socket.destroy());
    incoming.pipe(outgoing);
  }
}

function refuse(
  incoming: IncomingMessage,
  answer: ServerResponse,
  fault: { status: number; code: string },
): void {
  incoming.resume();
  incoming.once('end', () => {
    answer.writeHead(fault.status, { 'content-type': 'application/xml' });
    answer.end(
      fault.status === 200
        ? ''
        : `<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>made by the test</Message></Error>`,
    );
  });
}
