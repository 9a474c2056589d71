import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { toWire } from '../../store/wire/wire.js';

/** Answers a document in snake case, checked, so that nothing goes out that /openapi.json does not say. */
export function send<S extends z.ZodType>(reply: FastifyReply, schema: S, value: z.input<S>): FastifyReply {
  return reply.type('application/json').send(JSON.stringify(toWire(schema, value, 'answer')));
}
