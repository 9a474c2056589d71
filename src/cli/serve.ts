import { catchInterrupts } from '../launch/interrupts.js';
import { serveWorker } from '../launch/serve-worker.js';
import { type CliIo, EXIT } from './cli-io.js';
import { commandContext, printJson } from './command-context.js';
import type { CommonOptions } from './common-options.js';
import type { ServeOptions } from './serve-options.js';
import { wholeNumber } from './whole-number.js';

/** Hosts a worker until Ctrl-C: an orderly end is what was asked for, so it exits with 0. */
export async function serve(options: CommonOptions & ServeOptions, io: CliIo): Promise<void> {
  const { json, stateDir, log, say } = await commandContext(options, io);
  const capacity = options.capacity === undefined ? null : wholeNumber('--capacity', options.capacity);
  const metricsPort =
    options.metricsPort === undefined ? null : wholeNumber('--metrics-port', options.metricsPort);
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  try {
    await serveWorker({
      stateDir,
      env: io.env,
      capacity,
      metricsPort,
      logger: log,
      say,
      signal: interrupts.signal,
      onReady: (ready) => {
        if (json) printJson(io, { address: ready.address, host_id: ready.hostId, state_dir: stateDir });
        else say(`Worker ${ready.hostId} is ready (Temporal at ${ready.address}). Ctrl-C stops it.`);
      },
    });
  } finally {
    interrupts.release();
  }
}
