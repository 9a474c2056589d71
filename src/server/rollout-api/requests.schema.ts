import { z } from 'zod';
import { ID_PATTERN } from '../../core/ids.js';
import { endpointUrlSchema } from '../../core/model/endpoint-url.schema.js';

const MAX_ITEMS = 1_000;
const MAX_GROUP = 1_000;
/** Longer waits are for the client to repeat: proxies give up on silent connections. */
export const MAX_WAIT_SEC = 600;
const CANCEL_WAIT_SEC = 10;
/** Far beyond any item that was ever handed out, and exact with `n` on top. */
const MAX_CURSOR = 2 ** 50;

const name = z.string().min(1).max(200);
const wait = z
  .number()
  .min(0)
  .max(MAX_WAIT_SEC)
  .default(0)
  .describe(
    'Seconds to wait for the end; the answer comes at once when it has ended, else when they are over',
  );

const environment = name
  .nullable()
  .default(null)
  .describe("One of those that GET /v1/environments lists; null = the run's own");

const consumer = z
  .string()
  .regex(ID_PATTERN)
  .default('default')
  .describe('Who asks: each consumer goes through the items on its own, at a place that is remembered');

/** `POST /v1/items`. */
export const itemsRequestSchema = z.strictObject({
  environment,
  n: z.number().int().min(1).max(MAX_ITEMS).default(1).describe('How many items'),
  consumer,
  cursor: z
    .number()
    .int()
    .min(0)
    .max(MAX_CURSOR)
    .nullable()
    .default(null)
    .describe('Read from here instead, as next_cursor of an earlier answer said: nothing is remembered'),
});
export type ItemsRequest = z.output<typeof itemsRequestSchema>;

const policyRequestSchema = z.strictObject({
  version: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('Stamped on what is sampled; null = as the trainer or the endpoint says'),
  model: name
    .nullable()
    .default(null)
    .describe('Model id as the endpoint knows it; null = as the run has it'),
  baseUrl: endpointUrlSchema
    .nullable()
    .default(null)
    .describe(
      'OpenAI-compatible endpoint, up to and including /v1, without user or password; null = as the run has it',
    ),
});

/** `POST /v1/rollouts`. */
export const rolloutRequestSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    .nullable()
    .default(null)
    .describe('Id of the group; asking again under the same id answers the same group'),
  environment,
  item: name
    .nullable()
    .default(null)
    .describe('Task id of an item of that environment; null = the next one of the consumer'),
  consumer,
  groupSize: z
    .number()
    .int()
    .min(1)
    .max(MAX_GROUP)
    .nullable()
    .default(null)
    .describe('Rollouts of the item; null = as the run has it'),
  policy: policyRequestSchema.nullable().default(null).describe('Who answers; null = as the run has it'),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2_000_000_000)
    .nullable()
    .default(null)
    .describe(
      'Of the first rollout, the others count on; null = one of its own for each group, where the run has seeds',
    ),
  wait,
});
export type RolloutRequest = z.output<typeof rolloutRequestSchema>;

/** The query of `GET /v1/rollouts/{id}`. */
export const waitQuerySchema = z.strictObject({ wait });

/** Of `DELETE`: rollouts are ended in order, which takes a moment. */
export const cancelQuerySchema = z.strictObject({ wait: wait.default(CANCEL_WAIT_SEC) });
