import type { FastifyInstance, FastifyRequest } from 'fastify';

interface Waiting {
  bytes: number;
  enter(): void;
}

/** Room for bodies that are read at once. Who finds none waits in line, and nothing of its body is read meanwhile. */
class BodyRoom {
  private line: Waiting[] = [];

  constructor(private free: number) {}

  /** Calls back once there is room; what it answers gives the room back, or the place in line. */
  take(bytes: number, enter: () => void): () => void {
    let inside = false;
    const place: Waiting = {
      bytes,
      enter: () => {
        inside = true;
        enter();
      },
    };
    this.line.push(place);
    this.letIn();
    return () => {
      if (inside) this.free += bytes;
      else this.line = this.line.filter((waiting) => waiting !== place);
      this.letIn();
    };
  }

  private letIn(): void {
    for (let next = this.line[0]; next !== undefined && next.bytes <= this.free; next = this.line[0]) {
      this.line.shift();
      this.free -= next.bytes;
      next.enter();
    }
  }
}

/** Bodies of many clients together take up no more memory than this. */
export function limitBodiesAtOnce(app: FastifyInstance, roomBytes: number): void {
  const room = new BodyRoom(roomBytes);
  app.addHook('preParsing', async (request, reply, payload) => {
    const bytes = bytesOf(request);
    // Of one that is gone already nobody would say that it has left.
    if (bytes === 0 || reply.raw.closed) return payload;
    await new Promise<void>((enter) => {
      reply.raw.once('close', room.take(Math.min(bytes, roomBytes), enter));
    });
    return payload;
  });
}

/** As many as it may become, where it does not say. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const { 'content-length': length, 'content-encoding': encoding, 'transfer-encoding': framing } = headers;
  if (encoding !== undefined || framing !== undefined) return routeOptions.bodyLimit;
  return Math.min(Number(length ?? 0), routeOptions.bodyLimit);
}
