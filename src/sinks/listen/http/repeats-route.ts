import type { FastifyInstance } from 'fastify';
import type { SinkContext } from '../../sink.js';
import { readRepeats } from '../index.js';

/** `GET /v1/repeats`: what was handed out more than once, the newest thousand deliveries. */
export function addRepeatsRoute(app: FastifyInstance, { store, run }: SinkContext): void {
  app.get('/v1/repeats', async () => ({
    repeats: (await readRepeats(store, run.runId)).map(({ batch, n, groups, at }) => ({
      ...{ batch, n, groups },
      at: new Date(at).toISOString(),
    })),
  }));
}
