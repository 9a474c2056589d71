import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LongrunError } from '../../../core/errors.js';
import { envStatus, type Listener } from '../index.js';
import { checkRequest } from './check-request.js';
import { envRequestSchema, registerEnvRequestSchema } from './trainer-requests.schema.js';

/** What other producers say of themselves, and what they ask before they make more. */
export function addEnvRoutes(app: FastifyInstance, listener: Listener): void {
  app.post('/register-env', async (request) => {
    const asked = checkRequest(registerEnvRequestSchema, request.body, 'body');
    const placed = await listener.registerEnv({
      maxTokenLength: asked.max_token_length,
      desiredName: asked.desired_name,
      weight: asked.weight,
      groupSize: asked.group_size,
      minBatchAllocation: asked.min_batch_allocation,
    });
    const { registration, step } = listener.state;
    if (placed === null || registration === null) return { status: 'wait for trainer to start' };
    return {
      status: 'success',
      env_id: placed.envId,
      wandb_name: placed.name,
      checkpoint_dir: registration.checkpointDir,
      starting_step: step,
      checkpoint_interval: registration.saveCheckpointInterval,
      num_steps: registration.numSteps,
    };
  });
  app.post('/disconnect-env', async (request) => {
    const { env_id } = checkRequest(envRequestSchema, request.body, 'body');
    const known = await listener.disconnectEnv(env_id);
    return known ? { status: 'success' } : { status: 'failure', error: 'list index out of range' };
  });
  app.get('/status-env', (request) => {
    const envId = envIdOf(request);
    const status = envStatus(listener.state, envId);
    if (status === null)
      throw new LongrunError('not_found', `no environment has the id ${envId}`, {
        hint: 'Register it with POST /register-env.',
      });
    return status;
  });
}

/** In the body, as the original wants it, or in the query, for clients that send no body with GET. */
function envIdOf({ body, query }: FastifyRequest): number {
  const place = body === undefined && (query as { env_id?: string }).env_id !== undefined ? 'query' : 'body';
  return checkRequest(envRequestSchema, place === 'body' ? body : query, place).env_id;
}
