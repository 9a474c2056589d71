import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { LongrunError } from '../../src/core/errors.js';
import { freePort } from '../../src/machine/ports.js';
import { findServerBinary } from '../../src/temporal/server-binary.js';
import {
  NAMESPACE,
  type ServerProcess,
  spawnServer,
  stopProcess,
  untilReady,
} from '../../src/temporal/server-process.js';
import { missingPeers } from '../peers/support/python.js';
import { missingEngine } from './engine.js';
import { missingPrograms } from './go-programs.js';
import { missingPostgres } from './postgres.js';
import { type Prerequisite, TIERS, type TierName } from './tiers.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** `host:port` of the server that all tiers of this run share; empty where there is none. */
    temporalAddress: string;
    /** What this tier lacks, in one sentence; null when it can run. */
    missingPrerequisite: string | null;
  }
}

interface SharedServer {
  address: string;
  missing: string | null;
  stop(): Promise<void>;
}

/** One server for all tiers of a run: each has its set-up called, with a module cache of its own. */
interface Shared {
  server: Promise<SharedServer> | null;
  users: number;
}
const SHARED = Symbol.for('longrun.test.server');
const registry = globalThis as unknown as Record<symbol, Shared | undefined>;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const needs: readonly Prerequisite[] = TIERS[project.name as TierName].needs;
  const missing = await firstMissing(needs);
  if (!needs.includes('temporal')) {
    project.provide('temporalAddress', '');
    project.provide('missingPrerequisite', missing);
    return async () => undefined;
  }
  registry[SHARED] ??= { server: null, users: 0 };
  const shared = registry[SHARED];
  shared.users += 1;
  shared.server ??= startServer();
  const server = await shared.server;
  project.provide('temporalAddress', server.address);
  project.provide('missingPrerequisite', missing ?? server.missing);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.server = null;
    await server.stop();
  };
}

async function firstMissing(needs: readonly Prerequisite[]): Promise<string | null> {
  const engine = needs.includes('engine') ? await missingEngine() : null;
  const s3 = needs.includes('s3') ? missingPrograms(['versitygw']) : null;
  const topology = needs.includes('topology')
    ? (missingPrograms(['versitygw', 'temporal-server', 'temporal-sql-tool']) ?? missingPostgres())
    : null;
  const peers = needs.includes('peers') ? missingPeers() : null;
  return engine ?? s3 ?? topology ?? peers;
}

async function startServer(): Promise<SharedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'longrun-test-server-'));
  const logFile = join(folder, 'server.log');
  let server: ServerProcess | null = null;
  const stop = async () => {
    if (server !== null) await stopProcess(server.identity);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { path } = await findServerBinary();
    const port = await freePort();
    const settings = { port, databaseFile: null, namespaces: [NAMESPACE] };
    server = { identity: spawnServer(path, settings, logFile), port };
    await untilReady(server, logFile);
    return { address: `127.0.0.1:${port}`, missing: null, stop };
  } catch (error) {
    await stop();
    if (!LongrunError.is(error)) throw error;
    return { address: '', missing: `${error.message}. ${error.hint ?? ''}`, stop: async () => undefined };
  }
}
