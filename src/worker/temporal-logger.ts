import { type LogLevel, type LogMetadata, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** True of every Worker of ours but one, and no reason to worry. */
const EXPECTED = 'No workflows registered';

let installed = false;

/**
 * Sends the SDK's log lines to ours and serves metrics where asked. The SDK's runtime exists once
 * per process, so the first caller decides.
 */
export function installRuntime(logger: Logger, metricsAddress: string | null): void {
  if (installed) return;
  installed = true;
  const log = (level: LogLevel, message: string, meta?: LogMetadata) => {
    if (!message.startsWith(EXPECTED)) logger[LEVELS[level]](meta ?? {}, message);
  };
  const at = (level: LogLevel) => (message: string, meta?: LogMetadata) => log(level, message, meta);
  Runtime.install({
    // The process decides what a signal means; the runtime must not stop workers behind its back.
    shutdownSignals: [],
    logger: {
      log,
      trace: at('TRACE'),
      debug: at('DEBUG'),
      info: at('INFO'),
      warn: at('WARN'),
      error: at('ERROR'),
    },
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAddress === null ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
}
