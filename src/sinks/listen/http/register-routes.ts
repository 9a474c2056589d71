import type { FastifyInstance } from 'fastify';
import { type Listener, RefusedBody } from '../index.js';
import { checkRequest } from './check-request.js';
import { registerRequestSchema } from './trainer-requests.schema.js';

/** What a trainer says of itself, and what others read of it. */
export function addRegisterRoutes(app: FastifyInstance, listener: Listener, groupSize: number): void {
  app.post('/register', async (request, reply) => {
    const asked = checkRequest(registerRequestSchema, request.body, 'body');
    refuseUnfillable(asked.batch_size, groupSize);
    const uuid = await listener.register({
      wandbGroup: asked.wandb_group,
      wandbProject: asked.wandb_project,
      batchSize: asked.batch_size,
      maxTokenLen: asked.max_token_len,
      checkpointDir: asked.checkpoint_dir,
      saveCheckpointInterval: asked.save_checkpoint_interval,
      startingStep: asked.starting_step,
      numSteps: asked.num_steps,
    });
    // A number of 128 bits: only as text is it what it is.
    return reply.type('application/json').send(`{"uuid":${uuid}}`);
  });
  app.get('/wandb_info', () => {
    const { registration } = listener.state;
    return { group: registration?.wandbGroup ?? null, project: registration?.wandbProject ?? null };
  });
  app.get('/info', () => {
    const { registration } = listener.state;
    return { batch_size: registration?.batchSize ?? -1, max_token_len: registration?.maxTokenLen ?? -1 };
  });
  app.get('/status', () => ({
    current_step: listener.state.step,
    queue_size: listener.state.queue.reduce((sum, { items }) => sum + items.length, 0),
  }));
  app.get('/reset_data', async (_request, reply) => {
    await listener.reset();
    return reply.type('text/plain; charset=utf-8').send('Reset successful');
  });
}

function refuseUnfillable(batchSize: number, groupSize: number): void {
  if (batchSize % groupSize === 0) return;
  const msg = `${batchSize} sequences are no whole number of groups: those of this run have ${groupSize}`;
  throw new RefusedBody([{ type: 'batch_size', loc: ['body', 'batch_size'], msg }]);
}
