import type { FastifyInstance } from 'fastify';
import { refusedEndpoint } from '../../../model/policy-origins.js';
import type { SinkContext } from '../../sink.js';
import { RefusedBody } from '../index.js';
import { checkRequest } from './check-request.js';
import { policyRequestSchema } from './trainer-requests.schema.js';

/** `POST /v1/policy`, for a trainer that says itself what its weights are called, and where they are served. */
export function addPolicyRoutes(app: FastifyInstance, { policies, run }: SinkContext): void {
  app.post('/v1/policy', async (request) => {
    const { version, model, base_url } = checkRequest(policyRequestSchema, request.body, 'body');
    const refused = base_url === null ? null : refusedEndpoint(run.config, base_url);
    if (refused !== null)
      throw new RefusedBody([
        {
          type: 'value_error',
          loc: ['body', 'base_url'],
          msg: `${refused.why}; accepted is ${refused.accepted}`,
        },
      ]);
    await policies.tell({
      version,
      source: 'api',
      ...(model === null ? {} : { model }),
      ...(base_url === null ? {} : { baseUrl: base_url }),
    });
    const latest = await policies.latest();
    return {
      version: latest?.version ?? null,
      model: latest?.model ?? null,
      base_url: latest?.baseUrl ?? null,
    };
  });
}
