import type { FastifyInstance } from 'fastify';
import type { SinkContext } from '../../sink.js';

/** What else the listener of a run offers. */
export interface ServerExtension {
  /** Adds routes to its application, before it listens. What they need lives as long as `context.signal`. */
  add(app: FastifyInstance, context: SinkContext): void | Promise<void>;
  /** The run was cancelled, and nobody is listened to any more. May be called again after a crash. */
  cancelled(context: SinkContext): Promise<void>;
}
