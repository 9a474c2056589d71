import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const POST = 'POST /scored_data ';

/** A way to a server that can be shut, and on which a post can get stuck after its sender has given it up. */
export class TcpGate {
  private isShut = false;
  private holding = false;
  private held: Buffer | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly gate: Server,
    private readonly port: number,
  ) {}

  /** Closed with the test. */
  static async to(port: number): Promise<TcpGate> {
    const gate = createServer();
    const opened = new TcpGate(gate, port);
    gate.on('connection', (socket) => opened.pass(socket)).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    onTestFinished(() => {
      opened.shut();
      gate.close();
    });
    return opened;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.gate.address() as { port: number }).port}`;
  }

  /** Ends what passes, and whatever tries to. */
  shut(): void {
    this.isShut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  open(): void {
    this.isShut = false;
  }

  /** The next post gets stuck: whoever sent it is cut off, and the server does not see it. */
  holdNextPost(): void {
    this.holding = true;
  }

  get hasHeld(): boolean {
    return this.held !== null;
  }

  /** What got stuck arrives after all; resolves with the answer that nobody waits for any more. */
  async deliverHeld(): Promise<string> {
    const server = connect(this.port, '127.0.0.1');
    server.end(this.held ?? Buffer.alloc(0));
    const chunks: Buffer[] = [];
    for await (const chunk of server) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  }

  private pass(client: Socket): void {
    if (this.isShut) return void client.destroy();
    const server = connect(this.port, '127.0.0.1');
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    server.on('data', (chunk: Buffer) => void client.write(chunk));
    let stuck: Buffer | null = null;
    client.on('data', (chunk: Buffer) => {
      if (stuck === null && this.holding && chunk.toString('latin1').startsWith(POST)) {
        this.holding = false;
        stuck = Buffer.alloc(0);
      }
      if (stuck === null) return void server.write(chunk);
      stuck = Buffer.concat([stuck, chunk]);
      if (!isWhole(stuck)) return;
      this.held = stuck;
      client.destroy();
    });
  }
}

function isWhole(request: Buffer): boolean {
  const end = request.indexOf('\r\n\r\n');
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(request.toString('latin1', 0, end + 2)) ?? [];
  return end >= 0 && request.length >= end + 4 + Number(length);
}
