import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { explicitCluster } from '../temporal/connect.js';
import { serverStatus } from '../temporal/embedded-server.js';
import { probeServer } from '../temporal/probe-server.js';
import { findServerBinary } from '../temporal/server-binary.js';
import { isAtLeast, OLDEST_SERVER } from '../temporal/server-version.js';
import type { PrerequisiteOptions, PrerequisiteReport } from './prerequisite-report.js';

const PROBE_TIMEOUT_MS = 3 * SECOND_MS;

/** The program that holds the embedded server; not needed where an address is configured. */
export async function checkTemporalProgram(options: PrerequisiteOptions): Promise<PrerequisiteReport> {
  const name = 'Temporal program';
  if (explicit(options) !== null)
    return { name, status: 'ok', found: 'not needed: an address is set', fix: null };
  try {
    const { path, serverVersion, foundBy } = await findServerBinary(options.env);
    return { name, status: 'ok', found: `${path} (server ${serverVersion}, by ${foundBy})`, fix: null };
  } catch (error) {
    if (!LongrunError.is(error)) throw error;
    return { name, status: 'missing', found: error.message, fix: error.hint ?? null };
  }
}

/** The server itself: a configured one has to answer, the embedded one is started when needed. */
export async function checkTemporalServer(options: PrerequisiteOptions): Promise<PrerequisiteReport> {
  const name = 'Temporal server';
  let configured: ReturnType<typeof explicitCluster>;
  try {
    configured = explicitCluster(options);
  } catch (error) {
    if (!LongrunError.is(error)) throw error;
    return { name, status: 'missing', found: error.message, fix: error.hint ?? null };
  }
  if (configured !== null) {
    const { connection, namespace } = configured;
    return await askServer(connection.address, () => probeServer(connection, namespace, PROBE_TIMEOUT_MS));
  }
  const { address, clients } = serverStatus(options.stateDir);
  if (address === null) {
    return { name, status: 'ok', found: 'embedded, not running: started when needed', fix: null };
  }
  const report = await askServer(address, () => probeServer({ address }, 'default', PROBE_TIMEOUT_MS));
  return { ...report, found: `embedded, ${report.found}, used by ${clients}` };
}

async function askServer(
  address: string,
  probe: () => Promise<{ serverVersion: string }>,
): Promise<PrerequisiteReport> {
  const name = 'Temporal server';
  try {
    const { serverVersion } = await probe();
    const ok = isAtLeast(serverVersion, OLDEST_SERVER);
    return {
      name,
      status: ok ? 'ok' : 'missing',
      found: `${address}, version ${serverVersion}`,
      fix: ok ? null : `Upgrade it to ${OLDEST_SERVER} or newer.`,
    };
  } catch {
    return {
      name,
      status: 'missing',
      found: `${address} does not answer`,
      fix: 'Start that server, correct TEMPORAL_ADDRESS or the profile, or unset them to use an embedded server.',
    };
  }
}

/** Broken settings are reported by the check of the server. */
function explicit(options: PrerequisiteOptions): ReturnType<typeof explicitCluster> {
  try {
    return explicitCluster(options);
  } catch (error) {
    if (LongrunError.is(error)) return null;
    throw error;
  }
}
