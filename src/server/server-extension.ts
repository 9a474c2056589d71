import type { FastifyInstance } from 'fastify';
import type { SinkContext } from '../sinks/sink.js';

/** Adds routes to the listener's application, before it listens. What they need lives as long as `context.signal`. */
export type ServerExtension = (app: FastifyInstance, context: SinkContext) => void | Promise<void>;
