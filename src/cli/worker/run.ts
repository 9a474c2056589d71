import { byteSize } from '../../config/byte-size.js';
import { mergeWorkerSettings } from '../../config/merge-settings.js';
import type { WorkerSettings } from '../../config/worker-settings.schema.js';
import { serveWorker } from '../../hosts/host-process.js';
import { supervisorLine } from '../../hosts/supervised.js';
import { capacityOf, durationMs } from '../../hosts/worker-plan.js';
import { catchInterrupts } from '../../launch/interrupts.js';
import { type CliIo, EXIT } from '../cli-io.js';
import { type CommandContext, commandContext } from '../command-context.js';
import type { CommonOptions } from '../common-options.js';
import { printJson } from '../print.js';
import { ownSettings, type ServeOptions } from './options.js';
import { serveProcesses } from './processes.js';

/** Hosts a worker until Ctrl-C: an orderly end is what was asked for, so it exits with 0. */
export async function serve(options: CommonOptions & ServeOptions, io: CliIo): Promise<void> {
  const context = await commandContext(options, io);
  const settings = mergeWorkerSettings(ownSettings(options), io.env);
  // Checked before anything is started, by whoever was asked.
  capacityOf(settings.capacity, settings.role);
  if (settings.processes > 1) await serveProcesses(context, settings);
  else await serveOne(context, settings);
}

async function serveOne(context: CommandContext, settings: WorkerSettings): Promise<void> {
  const { io, json, stateDir, log, say } = context;
  const { role, hostId, healthPort, metricsPort } = settings;
  const supervisor = supervisorLine(io.env);
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  supervisor?.onLost(() => interrupts.interrupt());
  try {
    await serveWorker({
      stateDir,
      env: io.env,
      hostId,
      role,
      capacity: capacityOf(settings.capacity, role),
      drainTimeoutMs: durationMs(settings.drainTimeout),
      diskKeepFree: byteSize(settings.diskKeepFree),
      healthPort,
      metricsPort,
      supervised: supervisor !== null,
      logger: log,
      say: supervisor === null ? say : (line) => log.info(line),
      signal: interrupts.signal,
      onReady: (ready) => {
        if (supervisor) supervisor.ready(ready);
        else if (json) printJson(io, { address: ready.address, host_id: ready.hostId, state_dir: stateDir });
        else say(`Worker ${ready.hostId} is ready (Temporal at ${ready.address}). Ctrl-C stops it.`);
      },
    });
  } catch (error) {
    if (!supervisor) throw error;
    await supervisor.failed(error);
    io.exitCode = EXIT.error;
  } finally {
    interrupts.release();
  }
}
