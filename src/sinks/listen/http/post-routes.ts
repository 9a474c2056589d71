import type { FastifyInstance } from 'fastify';
import { type Listener, RefusedBody, readScoredData, type Taken } from '../index.js';
import { DATA_LIMIT_BYTES } from './create-server.js';

/** What `/latest_example` answers before there is one. */
const NO_EXAMPLE = Object.fromEntries(
  'tokens masks scores advantages ref_logprobs generation_params inference_logprobs messages images'
    .split(' ')
    .map((name) => [name, []]),
);

/** Each is put into the store on its own. */
const MAX_LIST = 1_000;
const TRAINING_DATA = { bodyLimit: DATA_LIMIT_BYTES };

/** What other producers post. */
export function addPostRoutes(app: FastifyInstance, listener: Listener): void {
  app.post('/scored_data', TRAINING_DATA, async (request) => {
    const [taken] = await listener.post([readScoredData(request.body)], () => ['body']);
    const { bufferSize, duplicate } = taken as Taken;
    return {
      ...(bufferSize === null ? { status: 'received' } : { status: 'buffered', buffer_size: bufferSize }),
      ...(duplicate ? { duplicate } : {}),
    };
  });
  app.post('/scored_data_list', TRAINING_DATA, async (request) => {
    if (!Array.isArray(request.body))
      throw new RefusedBody([{ type: 'list_type', loc: ['body'], msg: 'a list of ScoredData is expected' }]);
    if (request.body.length > MAX_LIST)
      throw new RefusedBody([
        {
          type: 'too_long',
          loc: ['body'],
          msg: `${request.body.length} groups; at most ${MAX_LIST} are accepted`,
        },
      ]);
    const items = request.body.map((item, i) => readScoredData(item, ['body', i]));
    return listAnswer(await listener.post(items, (i) => ['body', i]));
  });
  app.get('/latest_example', async (_request, reply) =>
    reply.type('application/json').send(listener.latestItem() ?? JSON.stringify(NO_EXAMPLE)),
  );
}

function listAnswer(taken: readonly Taken[]) {
  const buffered = taken.filter(({ bufferSize }) => bufferSize !== null);
  const duplicates = taken.filter(({ duplicate }) => duplicate).length;
  return {
    status: 'received',
    groups_processed: taken.length,
    ...(buffered.length === 0
      ? {}
      : { buffered: buffered.length, last_buffer_size: buffered.at(-1)?.bufferSize }),
    ...(duplicates === 0 ? {} : { duplicates }),
  };
}
