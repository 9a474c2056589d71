import { z } from 'zod';
import {
  batchQuerySchema,
  envRequestSchema,
  registerEnvRequestSchema,
  registerRequestSchema,
} from '../../../src/sinks/listen/http/trainer-requests.schema.js';

type Json = Record<string, unknown>;

const list = (items: Json): Json => ({ type: 'array', items });
const ids = list(list({ type: 'integer' }));
const floats = { anyOf: [list(list({ type: 'number' })), { type: 'null' }] };
const object = { anyOf: [{ type: 'object' }, { type: 'null' }] };

/** What producers post, as the original describes it. */
const SCORED_DATA: Json = {
  type: 'object',
  required: ['tokens', 'masks', 'scores'],
  properties: {
    ...{
      tokens: ids,
      masks: ids,
      scores: list({ type: 'number' }),
      advantages: floats,
      ref_logprobs: floats,
    },
    ...{ inference_logprobs: floats, group_overrides: object, generation_params: object, images: {} },
    ...{ overrides: list({ type: 'object' }), env_id: { type: ['integer', 'null'] } },
    messages: list(list({ type: 'object', required: ['role', 'content'] })),
  },
};

const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
const ERROR = json({ type: 'object', required: ['detail', 'error'] });
const RESPONSES = {
  200: json({}),
  ...Object.fromEntries(
    [400, 413, 415, 422, 503].map((status) => [status, { description: 'refused', ...ERROR }]),
  ),
};
const text = { 200: { description: 'done', content: { 'text/plain': { schema: { type: 'string' } } } } };
const shape = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;

function query(schema: z.ZodType): Json[] {
  const { properties = {} } = shape(schema) as { properties?: Record<string, Json> };
  return Object.entries(properties).map(([name, inner]) => ({ name, in: 'query', schema: inner }));
}

const post = (schema: Json): Json => ({
  post: { requestBody: { required: true, ...json(schema) }, responses: RESPONSES },
});
const get = (parameters: Json[] = [], more: Json = {}): Json => ({
  get: { parameters, responses: { ...RESPONSES, ...more } },
});

/** The paths of the trainer API as OpenAPI has them, made of the schemas by which requests are read. */
export const trainerPaths: Json = {
  '/register': post(shape(registerRequestSchema)),
  '/register-env': post(shape(registerEnvRequestSchema)),
  '/disconnect-env': post(shape(envRequestSchema)),
  '/status-env': get(query(envRequestSchema), { 404: { description: 'nobody registered it', ...ERROR } }),
  '/batch': get(query(batchQuerySchema)),
  '/scored_data': post(SCORED_DATA),
  '/scored_data_list': post(list(SCORED_DATA)),
  ...Object.fromEntries(
    ['/', '/info', '/status', '/wandb_info', '/latest_example'].map((path) => [path, get()]),
  ),
  '/reset_data': { get: { responses: text } },
};
