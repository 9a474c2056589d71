import { badInput } from '../core/errors.js';
import { isPortFree } from '../temporal/ports.js';

/** Where metrics are served: the loopback interface. Throws `bad_input` for a port that is taken; null stays null. */
export async function metricsAddress(port: number | null): Promise<string | null> {
  if (port === null) return null;
  if (await isPortFree(port)) return `127.0.0.1:${port}`;
  throw badInput(
    `--metrics-port: port ${port} is in use by another process.`,
    'Choose another port, or leave --metrics-port out.',
    { port },
  );
}
