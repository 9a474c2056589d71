import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { badInput, LongrunError } from '../../../core/errors.js';
import type { ServeConfig } from '../../../core/run/serve-config.schema.js';
import { SECOND_MS } from '../../../core/time.js';
import { keys } from '../../../store/keys.js';
import { patiently } from '../../host/patiently.js';
import type { SinkContext, SinkFactory } from '../../sink.js';
import { Listener, ownGroups, writeListenAddress } from '../index.js';
import { createServer, listenOn } from './create-server.js';
import { freshAtHandOut } from './fresh-at-hand-out.js';
import { ListenerWatch } from './listener-watch.js';
import { addPolicyRoutes } from './policy-routes.js';
import { addRepeatsRoute } from './repeats-route.js';
import type { ServerExtension } from './server-extension.js';
import { trainerApi } from './trainer-api.js';

const POLL_MS = 200;
const FENCE_CHECK_MS = 5 * SECOND_MS;
/** For answers that are on their way when the run ends. */
const CLOSE_MS = 3 * SECOND_MS;

/** The trainer API of a run, on `serve.listen`, with what else is to be served there. */
export function listenSink(extensions: readonly ServerExtension[] = []): SinkFactory {
  return () => ({
    async run(context) {
      const serve = settingsOf(context);
      const watch: ListenerWatch = new ListenerWatch(context, serve);
      const listener = await Listener.open({
        store: context.store,
        prefix: keys.sink(context.run.runId, context.name),
        maxQueue: serve.maxQueue,
        now: context.now,
        checkFence: () => context.checkFence(),
        atHandOut: freshAtHandOut(context, serve),
        onChange: () => watch.changed(),
      });
      await watch.begin(listener);
      const app = await serveOn(context, serve, listener, extensions);
      const ended = new AbortController();
      try {
        await Promise.race([
          feedUntilDone(context, listener, watch),
          untilFenced(context, AbortSignal.any([context.signal, ended.signal])),
        ]);
        await listener.settled();
      } finally {
        ended.abort();
        await closeSoon(app);
        await watch.end();
      }
    },
    /** The port closes with `run`; what is queued stays in the store. */
    async close(context, status) {
      context.report({ note: null });
      if (status === 'cancelled') for (const extension of extensions) await extension.cancelled(context);
    },
  });
}

function settingsOf({ run }: SinkContext): ServeConfig & { listen: NonNullable<ServeConfig['listen']> } {
  const serve = run.config.serve;
  if (serve?.listen == null) throw new LongrunError('internal', `run ${run.runId} listens nowhere`);
  return { ...serve, listen: serve.listen };
}

function tokenOf({ env }: SinkContext, { tokenEnv }: ServeConfig): string | null {
  if (tokenEnv === null) return null;
  const token = env[tokenEnv];
  if (token === undefined || token === '')
    throw badInput(
      `The environment variable ${tokenEnv}, which is to hold the token of the API, is empty.`,
      'Set it where the worker runs.',
    );
  return token;
}

/** Listens once the port is free. */
async function serveOn(
  context: SinkContext,
  serve: ReturnType<typeof settingsOf>,
  listener: Listener,
  extensions: readonly ServerExtension[],
): Promise<FastifyInstance> {
  const { run, store, logger, signal, now } = context;
  const { host, port } = serve.listen;
  const token = tokenOf(context, serve);
  let said = false;
  const onTrouble = (error: LongrunError) => {
    if (!said) logger.warn(`${error.message}; it is tried again until it is free`);
    said = true;
  };
  return patiently(
    async () => {
      const app = createServer({ logger, host, token });
      trainerApi(app, listener, run.config.groupSize ?? 1);
      addPolicyRoutes(app, context);
      addRepeatsRoute(app, context);
      for (const extension of extensions) await extension.add(app, context);
      const url = await listenOn(app, host, port).catch(async (error: unknown) => {
        await app.close();
        throw error;
      });
      await writeListenAddress(store, run.runId, url, now());
      context.report({ note: `listens on ${url}` });
      logger.info({ url }, 'the trainer API listens');
      return app;
    },
    { signal, onTrouble },
  );
}

/** Until the run has ended, and its groups are with the trainer as far as they fill batches. */
async function feedUntilDone(context: SinkContext, listener: Listener, watch: ListenerWatch): Promise<void> {
  const { feed, signal } = context;
  const own = ownGroups(context, listener);
  for (;;) {
    signal.throwIfAborted();
    watch.throwIfFailed();
    const key = await feed.poll();
    if (key !== null) {
      await own.take(key);
      continue;
    }
    await watch.allow();
    if ((await feed.ended()) && watch.isDelivered()) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}

async function untilFenced(context: SinkContext, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(FENCE_CHECK_MS, undefined, { signal });
    await context.checkFence();
  }
}

async function closeSoon(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  const late = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(late);
}
