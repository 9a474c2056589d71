import { shown, type TaskProblem } from './problem.js';
import type { EnvironmentToml, TaskToml } from './task-toml.schema.js';
import type { KeyPath } from './toml-lines.js';

/** A setting of Harbor's that longrun cannot honour: refused by name, never ignored. */
interface Refusal {
  path: KeyPath;
  found: unknown;
  accepted: string;
  message: string;
}

/** Every setting of a task.toml that would have to be ignored here. */
export function findUnsupported(
  config: TaskToml,
  file: string,
  lineOf: (path: KeyPath) => number | null,
): TaskProblem[] {
  const refusals: Refusal[] = [
    ...inEnvironment(config.environment, ['environment']),
    ...inPhases(config),
    ...inArtifacts(config),
  ];
  return refusals.map(({ path, found, accepted, message }) => ({
    file,
    line: lineOf(path),
    found: shown(found),
    accepted,
    message,
  }));
}

function inEnvironment(environment: EnvironmentToml | undefined, path: KeyPath): Refusal[] {
  if (environment === undefined) return [];
  const { os, gpus, gpu_types, tpu, skills_dir, mcp_servers, memory, storage } = environment;
  const refuse = (key: keyof EnvironmentToml, accepted: string, message: string): Refusal => ({
    path: [...path, key],
    found: environment[key],
    accepted,
    message,
  });
  const refusals = inNetwork(environment, path);
  if (os === 'windows') refusals.push(refuse('os', '"linux"', 'Windows sandboxes are not supported'));
  if ((gpus ?? 0) > 0) refusals.push(refuse('gpus', '0 or nothing', 'GPUs are not supported'));
  if (gpu_types?.length) refusals.push(refuse('gpu_types', 'nothing', 'GPUs (gpu_types) are not supported'));
  if (tpu !== undefined) refusals.push(refuse('tpu', 'nothing', 'TPUs are not supported'));
  if (skills_dir) refusals.push(refuse('skills_dir', 'nothing', 'skills (skills_dir) are not supported'));
  if (mcp_servers?.length) {
    refusals.push(refuse('mcp_servers', 'nothing', 'MCP servers (mcp_servers) are not supported'));
  }
  if (memory !== undefined && environment.memory_mb !== undefined) {
    refusals.push(refuse('memory', 'one of the two', 'memory and memory_mb are both set'));
  }
  if (storage !== undefined && environment.storage_mb !== undefined) {
    refusals.push(refuse('storage', 'one of the two', 'storage and storage_mb are both set'));
  }
  return refusals;
}

interface NetworkKeys {
  network_mode?: string | undefined;
  allowed_hosts?: string[] | undefined;
}

function inNetwork(keys: NetworkKeys | undefined, path: KeyPath): Refusal[] {
  const accepted = 'network_mode = "public" or "no-network"';
  if (keys?.network_mode === 'allowlist') {
    const message = 'network allowlists (network_mode = "allowlist") are not supported';
    return [{ path: [...path, 'network_mode'], found: 'allowlist', accepted, message }];
  }
  if (keys?.allowed_hosts === undefined) return [];
  const message = 'network allowlists (allowed_hosts) are not supported';
  return [{ path: [...path, 'allowed_hosts'], found: keys.allowed_hosts, accepted, message }];
}

function inPhases(config: TaskToml): Refusal[] {
  const levels = [
    { agent: config.agent, verifier: config.verifier, path: [] as (string | number)[] },
    ...(config.steps ?? []).map((step, i) => ({ ...step, path: ['steps', i] })),
  ];
  return levels.flatMap(({ agent, verifier, path }) => [
    ...inNetwork(agent, [...path, 'agent']),
    ...inNetwork(verifier, [...path, 'verifier']),
    ...inEnvironment(verifier?.environment, [...path, 'verifier', 'environment']),
    ...(verifier?.collect ?? []).flatMap(({ service }, i) =>
      otherService(service, [...path, 'verifier', 'collect', i, 'service']),
    ),
  ]);
}

function inArtifacts(config: TaskToml): Refusal[] {
  const levels = [
    { artifacts: config.artifacts, path: ['artifacts'] as (string | number)[] },
    ...(config.steps ?? []).map((step, i) => ({ ...step, path: ['steps', i, 'artifacts'] })),
  ];
  return levels.flatMap(({ artifacts = [], path }) =>
    artifacts.flatMap((artifact, i) =>
      typeof artifact === 'string' ? [] : otherService(artifact.service, [...path, i, 'service']),
    ),
  );
}

function otherService(service: string | undefined, path: KeyPath): Refusal[] {
  if (service === undefined || service === 'main') return [];
  const message = 'services other than the main one (docker-compose) are not supported';
  return [{ path, found: service, accepted: '"main" or nothing', message }];
}
