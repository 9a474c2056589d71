import type { Healthcheck, ImageSource, Network, SandboxSpec } from '../../core/rollout/task.schema.js';
import { SECOND_MS } from '../../core/time.js';
import type { EnvironmentToml, StepToml } from './task-toml.schema.js';

const UNITS_MB: Record<string, number> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

/** What an [environment] or [verifier.environment] asks of a sandbox; omitted network = public, as in Harbor. */
export function buildSandboxSpec(environment: EnvironmentToml, image: ImageSource): SandboxSpec {
  return {
    image,
    cpus: environment.cpus ?? null,
    memoryMb: environment.memory_mb ?? megabytes(environment.memory),
    storageMb: environment.storage_mb ?? megabytes(environment.storage),
    network: networkOf(environment),
    env: environment.env ?? {},
    workdir: environment.workdir ?? null,
    healthcheck: buildHealthcheck(environment.healthcheck),
  };
}

export function networkOf(environment: EnvironmentToml): Network {
  if (environment.network_mode !== undefined) return phaseNetwork(environment.network_mode);
  return environment.allow_internet === false ? 'none' : 'public';
}

export const phaseNetwork = (mode: string): Network => (mode === 'no-network' ? 'none' : 'public');

export function buildHealthcheck(healthcheck: StepToml['healthcheck']): Healthcheck | null {
  if (healthcheck === undefined) return null;
  return {
    command: healthcheck.command,
    intervalMs: milliseconds(healthcheck.interval_sec),
    timeoutMs: milliseconds(healthcheck.timeout_sec),
    startPeriodMs: milliseconds(healthcheck.start_period_sec),
    startIntervalMs: milliseconds(healthcheck.start_interval_sec),
    retries: healthcheck.retries,
  };
}

/** At least 1, because a duration of 0 means none elsewhere. */
export const milliseconds = (seconds: number): number =>
  seconds === 0 ? 0 : Math.max(1, Math.round(seconds * SECOND_MS));

/** "2G", "512M", "2048Mi": megabytes, rounded up; a plain number is bytes. */
function megabytes(size: string | undefined): number | null {
  if (size === undefined) return null;
  const [, amount = '0', unit = ''] = /^\s*([\d.]+)\s*([KMGT]?)/i.exec(size) ?? [];
  const factor = UNITS_MB[unit.toUpperCase()] ?? 1 / (1024 * 1024);
  return Math.max(1, Math.ceil(Number(amount) * factor));
}
