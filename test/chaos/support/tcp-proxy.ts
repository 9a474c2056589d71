import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A loopback TCP proxy whose line can be cut, stalled and restored. */
export class TcpProxy {
  private state: 'open' | 'cut' | 'stalled' = 'open';
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: { host: string; port: number }) {
    this.server = createServer((inner) => this.join(inner));
  }

  /** `target` is `host:port`. */
  static async start(target: string): Promise<TcpProxy> {
    const [host = '', port] = target.split(':');
    const proxy = new TcpProxy({ host, port: Number(port) });
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends every connection and refuses new ones. */
  cut(): void {
    this.state = 'cut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** Connections stay and nothing passes: what a partition looks like. */
  stall(): void {
    this.state = 'stalled';
    for (const socket of this.sockets) socket.pause();
  }

  restore(): void {
    this.state = 'open';
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(inner: Socket): void {
    if (this.state === 'cut') {
      inner.destroy();
      return;
    }
    const outer = connect(this.target);
    this.forward(inner, outer);
    this.forward(outer, inner);
  }

  private forward(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (data) => {
      if (!to.write(data)) from.pause();
    });
    to.on('drain', () => {
      if (this.state !== 'stalled') from.resume();
    });
    from.on('end', () => to.end());
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.state === 'stalled') from.pause();
  }
}
