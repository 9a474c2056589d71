import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ServeSettings } from '../config/serve-settings.schema.js';
import { badInput, LongrunError } from '../core/errors.js';
import { holdsSandboxes } from '../core/host/host-role.js';
import { type ServeConfig, type SinkName, sinksOf } from '../core/run/serve-config.schema.js';
import { EXPORT_FORMATS } from '../formats/export-format.js';
import { hostIdentity } from '../machine/host-identity.js';
import { livingHosts } from '../machine/host-lock.js';
import { policyOriginsOf } from '../model/policy-origins.js';
import { checkJsonlFolder } from '../sinks/jsonl/jsonl-options.js';
import { checkTinkerFolder } from '../sinks/tinker/index.js';
import { isLoopback, listenAddress } from './listen-address.js';
import { makeOutputFolder } from './output-folder.js';
import { groupConfigOf } from './prepare-process.js';
import { type PreparedRun, type PrepareOptions, prepareRun } from './prepare-run.js';

export interface ServeOptions extends Omit<PrepareOptions, 'settings'> {
  settings: ServeSettings;
  stateDir: string;
}

/** Sinks that train on sampled ids. */
const TRAINERS: readonly SinkName[] = ['atropos', 'listen', 'tinker'];

/** As `prepareRun`, for a run of mode `serve`: groups for as long as somebody wants them. Errors: its own, and `bad_input`. */
export async function prepareServe({ settings, stateDir, ...options }: ServeOptions): Promise<PreparedRun> {
  const config = groupConfigOf(settings);
  const serve = serveConfigOf(settings, options.env);
  const others = { output: null, saveTrajectories: false, trajectoryFile: null, failUnder: null };
  const prepared = await prepareRun(
    { ...options, settings: { ...settings, ...others, samples: settings.groupSize } },
    config,
    serve,
  );
  if (serve.jsonl !== null) await checkJsonlFolder(serve, settings.runId);
  if (serve.tinker !== null) await checkTinkerFolder(serve.tinker, settings.runId);
  const isBound = sinksOf(serve).some((name) => name !== 'atropos');
  const hostId = isBound ? await hostOf(stateDir, settings.detach) : null;
  for (const folder of [serve.jsonl, serve.tinker]) await makeOutputFolder(folder);
  const run = { ...prepared.run, config: { ...prepared.run.config, serve: { ...serve, hostId } } };
  return { ...prepared, run, warnings: [...prepared.warnings, ...idWarnings(settings, serve)] };
}

function serveConfigOf(settings: ServeSettings, env: NodeJS.ProcessEnv): ServeConfig {
  const { atropos, tinker, jsonl, maxQueue, batchGroups, maxBatchesOffpolicy, maxTokenLength } = settings;
  const { maxLag, policyVersions, keepZeroVariance, shiftRollouts, tokenEnv } = settings;
  const listen = settings.listen === null ? null : listenAddress(settings.listen);
  const serve: ServeConfig = {
    ...{ atropos, listen, tokenEnv, maxQueue, batchGroups, maxBatchesOffpolicy, maxTokenLength },
    ...{ maxLag, policyVersions, keepZeroVariance, shiftRollouts },
    tinker: tinker === null ? null : resolve(tinker),
    jsonl: jsonl === null ? null : resolve(jsonl),
    formats: formatsOf(settings.format),
    weight: settings.atroposWeight,
    policyOrigins: policyOriginsOf(settings.policyOrigin),
    hostId: null,
    shiftsPerHistory: SHIFTS_PER_HISTORY,
  };
  if (sinksOf(serve).length === 0)
    throw badInput(
      'There is nobody to serve: no sink was named.',
      'Name at least one: --listen HOST:PORT (a trainer API), --atropos URL, --tinker DIR or --jsonl DIR.',
    );
  checkToken(serve, env);
  if (settings.policyOrigin.length > 0 && listen === null && serve.tinker === null)
    throw badInput(
      '--policy-origin would do nothing: there is nobody who could name an endpoint.',
      'Add --listen or --tinker, or leave it out.',
    );
  return serve;
}

/** A history holds so many shifts: about 300 events each. */
const SHIFTS_PER_HISTORY = 50;

function formatsOf(words: readonly string[]): string[] {
  const names = [...new Set(words.flatMap((word) => word.split(',').map((name) => name.trim())))];
  const unknown = names.find((name) => !(EXPORT_FORMATS as readonly string[]).includes(name));
  if (unknown === undefined) return names;
  throw badInput(
    `--format: found "${unknown}", accepted: ${EXPORT_FORMATS.join(', ')}.`,
    'Several are separated by commas: --format atropos-group,tinker',
  );
}

/** An API that others can reach hands out training data and takes policies: not to anybody. */
function checkToken({ listen, tokenEnv }: ServeConfig, env: NodeJS.ProcessEnv): void {
  if (listen === null) {
    if (tokenEnv === null) return;
    throw badInput('--token-env would do nothing: nothing listens.', 'Add --listen, or leave it out.');
  }
  if (tokenEnv === null && !isLoopback(listen.host))
    throw badInput(
      `--listen: ${listen.host} can be reached from other machines, and there is no token.`,
      'Put a token into an environment variable and name that: --token-env LONGRUN_API_TOKEN; or listen on 127.0.0.1.',
    );
  if (tokenEnv !== null && !env[tokenEnv])
    throw badInput(
      `--token-env: the environment variable ${tokenEnv} is not set.`,
      `Set it where the run is started and where its worker runs: export ${tokenEnv}=…`,
    );
}

/** Folders and ports are of one host: the one that works for this state folder on this machine. */
async function hostOf(stateDir: string, detach: boolean): Promise<string> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const own = await hostIdentity(stateDir, randomUUID);
  const living = livingHosts(stateDir).find(({ lock }) => holdsSandboxes(lock.info.role));
  if (living === undefined && detach)
    throw new LongrunError(
      'no_worker',
      'The run was not started: its sinks are bound to this machine, and no worker runs here to take them.',
      { hint: 'Start one with: longrun up (in another terminal), or leave out --detach' },
    );
  return living?.hostId ?? own;
}

function idWarnings({ tokenApi, agent }: ServeSettings, serve: ServeConfig): string[] {
  const trainers = sinksOf(serve).filter((name) => TRAINERS.includes(name));
  if (trainers.length === 0 || (tokenApi !== 'none' && agent === 'tool-calling')) return [];
  return [
    `Nothing will reach ${trainers.map((name) => `--${name}`).join(', ')}: rollouts without sampled token ids give no training rows. Say how the endpoint tells them: --token-api chat (vLLM's return_token_ids), vllm, sglang or tinker.`,
  ];
}
