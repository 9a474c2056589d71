import { AtroposApi } from './atropos-api.js';
import { Connection } from './connection.js';

/**
 * The one connection of a producer, held for as long as it lasts: while it does, no other process can have taken the
 * place of the one at its end.
 */
export class Line {
  private held: { connection: Connection; api: AtroposApi } | null = null;

  constructor(
    private readonly base: URL,
    private readonly signal: AbortSignal,
    private readonly postTimeoutMs?: number,
  ) {}

  /** The same one as long as it is the same connection. */
  get api(): AtroposApi {
    if (this.held?.connection.usable !== true) {
      this.close();
      const connection = new Connection(this.base);
      const api = new AtroposApi(connection, this.base, this.signal, this.postTimeoutMs);
      this.held = { connection, api };
    }
    return (this.held as { api: AtroposApi }).api;
  }

  close(): void {
    this.held?.connection.close();
    this.held = null;
  }
}
