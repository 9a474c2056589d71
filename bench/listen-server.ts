import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { createServer, listenOn, trainerApi } from '../src/sinks/listen/http/index.js';
import { Listener } from '../src/sinks/listen/index.js';
import { openStore } from '../src/store/index.js';

/**
 * The process of a listener on a store of its own (the folder comes as an argument), as the sink of a run has it.
 * Tells its parent the address; asked, it collects garbage and answers.
 */
const folder = process.argv[2] as string;
const listener = await Listener.open({
  store: await openStore(folder),
  prefix: 'listen',
  maxQueue: 100_000,
  now: Date.now,
  checkFence: async () => undefined,
  atHandOut: async (_item, stored) => stored,
  onChange: () => undefined,
});
const app = createServer({ logger: pino({ level: 'silent' }), host: '127.0.0.1', token: null });
trainerApi(app, listener, 1);
process.send?.(await listenOn(app, '127.0.0.1', 0));
process.on('message', () => {
  globalThis.gc?.();
  process.send?.('settled');
});
process.on('disconnect', async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
