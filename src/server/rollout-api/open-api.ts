import type { z } from 'zod';
import { policyRequestSchema } from '../../sinks/listen/http/trainer-requests.schema.js';
import { wireJsonSchema } from '../../store/wire/wire-json-schema.js';
import type { JsonSchema } from './accepted-words.js';
import {
  environmentsSchema,
  errorAnswerSchema,
  itemSchema,
  itemsSchema,
  memberSchema,
  policyAnswerSchema,
  rolloutAnswerSchema,
} from './answers.schema.js';
import {
  cancelQuerySchema,
  itemsRequestSchema,
  rolloutRequestSchema,
  waitQuerySchema,
} from './requests.schema.js';

/** The shapes that routes refer to, by the names they have in the document. */
const SCHEMAS = {
  Environments: environmentsSchema,
  ItemsRequest: itemsRequestSchema,
  Item: itemSchema,
  Items: itemsSchema,
  RolloutRequest: rolloutRequestSchema,
  Member: memberSchema,
  Rollout: rolloutAnswerSchema,
  PolicyRequest: policyRequestSchema,
  Policy: policyAnswerSchema,
  Error: errorAnswerSchema,
} as const satisfies Record<string, z.ZodType>;
type SchemaName = keyof typeof SCHEMAS;

/** The OpenAPI document of the rollout API, made of the schemas by which requests are read and answers written. */
export function openApiDocument(version: string): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'longrun rollout API',
      version,
      description:
        'Groups of rollouts for a trainer that pulls. Times are epoch milliseconds, money US dollars. A group that was asked for is durable: it is carried on across restarts, and nothing of it is paid for twice.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths: { ...supplyPaths(), ...rolloutPaths() },
    components: {
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, shapeOf(schema)])),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    // Without a token it listens on the loopback interface only.
    security: [{}, { token: [] }],
  };
}

/** What there is to run, and by whom it is answered. */
function supplyPaths(): Record<string, unknown> {
  return {
    '/v1/environments': {
      get: {
        operationId: 'listEnvironments',
        summary: 'Environments, their tasks and tools',
        responses: { 200: answer('What can be asked for', 'Environments'), ...errors() },
      },
    },
    '/v1/items': {
      post: {
        operationId: 'nextItems',
        summary: 'The next n items, with the prompt as the agent gets it',
        requestBody: body('ItemsRequest'),
        responses: { 200: answer('Items', 'Items'), ...errors(400, 413) },
      },
    },
    '/v1/policy': {
      post: {
        operationId: 'updatePolicy',
        summary: 'The weights are these from now on: what is sampled is stamped with their version',
        requestBody: body('PolicyRequest'),
        responses: { 200: answer('The policy as it is now', 'Policy'), ...errors(400, 413, 422) },
      },
    },
  };
}

function rolloutPaths(): Record<string, unknown> {
  return {
    '/v1/rollouts': {
      post: {
        operationId: 'requestRollouts',
        summary: 'A group of rollouts of one item',
        parameters: [IDEMPOTENCY_KEY],
        requestBody: body('RolloutRequest'),
        responses: {
          200: answer('The group, which has ended', 'Rollout'),
          202: answer('The group runs', 'Rollout'),
          ...errors(400, 409, 413),
        },
      },
    },
    '/v1/rollouts/{id}': {
      get: {
        operationId: 'readRollouts',
        summary: 'Where a group stands, and its members once it has ended',
        parameters: [ID, ...query(waitQuerySchema)],
        responses: { 200: answer('The group', 'Rollout'), ...errors(400, 404) },
      },
      delete: {
        operationId: 'cancelRollouts',
        summary: 'Cancels a group; one that has ended stays as it is',
        parameters: [ID, ...query(cancelQuerySchema)],
        responses: {
          200: answer('The group, which has ended', 'Rollout'),
          202: answer('The group is being cancelled', 'Rollout'),
          ...errors(400, 404),
        },
      },
    },
  };
}

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'As `id`, for keys of any form: asking again under the same key answers the same group',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const REASONS = {
  400: 'The request is refused: error.path says where',
  401: 'The token is missing, or another one',
  404: 'There is no such group',
  409: 'Another group was asked for under that id',
  413: 'The body is larger than the route takes',
  422: 'The request is refused: the message says where',
  503: 'The store or the cluster does not answer; try again after Retry-After',
} as const;

function errors(...own: (keyof typeof REASONS)[]): Record<string, unknown> {
  const statuses = [...own, 401, 503] as const;
  return Object.fromEntries(statuses.map((status) => [status, answer(REASONS[status], 'Error')]));
}

const content = (name: SchemaName) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});
const answer = (description: string, name: SchemaName) => ({ description, content: content(name) });
const body = (name: SchemaName) => ({ required: true, content: content(name) });

function query(schema: z.ZodType): unknown[] {
  const { properties = {} } = shapeOf(schema);
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: shape,
  }));
}

/** OpenAPI 3.1 takes JSON Schema as it is, but for the mark of its dialect. */
function shapeOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...shape } = wireJsonSchema(schema);
  return shape as JsonSchema;
}
