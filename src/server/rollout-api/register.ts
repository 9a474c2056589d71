import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../core/time.js';
import { answerErrors } from './answer-error.js';
import { environmentsSchema, itemsSchema, rolloutAnswerSchema } from './answers.schema.js';
import type { RolloutApiDeps } from './deps.js';
import { nextItems } from './items.js';
import { OfferedEnvironments } from './offered-environments.js';
import { openApiDocument } from './open-api.js';
import { readQuery, readRequest } from './read-request.js';
import { RefusedRequest } from './refused-request.js';
import type { RequestRecord } from './request-record.schema.js';
import {
  cancelQuerySchema,
  itemsRequestSchema,
  rolloutRequestSchema,
  waitQuerySchema,
} from './requests.schema.js';
import { rolloutAnswer } from './rollout-answer.js';
import { RolloutBook } from './rollout-book.js';
import { send } from './send.js';
import { waitForEnd } from './wait-for-end.js';

const MAX_KEY = 255;

/** The rollout API under `/v1`, and `/openapi.json`, in a scope of its own: errors are told in its own way. */
export async function registerRolloutApi(app: FastifyInstance, deps: RolloutApiDeps): Promise<void> {
  await app.register(async (scope) => {
    answerErrors(scope);
    const environments = new OfferedEnvironments(deps.store, deps.run, deps.environmentOf);
    addItems(scope, deps, environments);
    addRollouts(scope, deps, new RolloutBook(deps, environments));
    scope.get('/openapi.json', () => openApiDocument(deps.run.longrunVersion));
  });
}

function addItems(app: FastifyInstance, deps: RolloutApiDeps, environments: OfferedEnvironments): void {
  app.get('/v1/environments', async (_request, reply) => {
    const offered = await environments.all();
    return send(reply, environmentsSchema, {
      environments: offered.map(({ environment, own, taskIds }) => ({
        name: environment.name,
        own,
        passThreshold: own ? deps.run.config.passThreshold : environment.passThreshold,
        tools: [...environment.tools],
        tasks: [...taskIds],
      })),
    });
  });
  app.post('/v1/items', async (request, reply) => {
    const asked = readRequest(itemsRequestSchema, request.body ?? {});
    const offered = await environments.get(asked.environment);
    return send(reply, itemsSchema, await nextItems(deps, offered, asked));
  });
}

function addRollouts(app: FastifyInstance, deps: RolloutApiDeps, book: RolloutBook): void {
  const answer = async (reply: FastifyReply, record: RequestRecord, waitSec: number, open: 200 | 202) => {
    await waitForEnd(deps.store, record.runId, waitSec * SECOND_MS, untilGone(reply, deps.signal));
    const document = await rolloutAnswer(deps, record);
    return send(reply.code(document.status === 'running' ? open : 200), rolloutAnswerSchema, document);
  };
  app.post('/v1/rollouts', async (request, reply) => {
    const asked = readRequest(rolloutRequestSchema, request.body ?? {});
    return answer(reply, await book.request(asked, idempotencyKey(request)), asked.wait, 202);
  });
  app.get<{ Params: { id: string } }>('/v1/rollouts/:id', async (request, reply) => {
    const { wait } = readQuery(waitQuerySchema, request.query);
    const record = await book.find(request.params.id);
    await book.ensureStarted(record);
    return answer(reply, record, wait, 200);
  });
  app.delete<{ Params: { id: string } }>('/v1/rollouts/:id', async (request, reply) => {
    const { wait } = readQuery(cancelQuerySchema, request.query);
    const record = await book.find(request.params.id);
    await book.cancel(record);
    return answer(reply, record, wait, 202);
  });
}

function idempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return null;
  if (key.length <= MAX_KEY) return key;
  throw new RefusedRequest(
    `Idempotency-Key: found ${key.length} characters; accepted are at most ${MAX_KEY}`,
    'Idempotency-Key',
    `a text of 1 to ${MAX_KEY} characters`,
  );
}

/** Fires when the client has hung up, too. */
function untilGone(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([stopping, gone.signal]);
}
