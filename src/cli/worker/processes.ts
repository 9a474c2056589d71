import { randomUUID } from 'node:crypto';
import type { WorkerSettings } from '../../config/worker-settings.schema.js';
import { holdsSandboxes } from '../../core/host/host-role.js';
import { WorkerSupervisor } from '../../hosts/supervise-workers.js';
import { capacityOf, divideCapacity } from '../../hosts/worker-plan.js';
import { catchInterrupts } from '../../launch/interrupts.js';
import { hostIdentity } from '../../machine/host-identity.js';
import { lockHost } from '../../machine/host-lock.js';
import { defaultCapacities } from '../../worker/capacity.js';
import { EXIT } from '../cli-io.js';
import type { CommandContext } from '../command-context.js';
import { printJson } from '../print.js';

/** Several worker processes under this one, each a host `<id>-<n>` of its own; ends with 0 when asked to. */
export async function serveProcesses(context: CommandContext, settings: WorkerSettings): Promise<void> {
  const { io, json, stateDir, say } = context;
  const own = await hostIdentity(stateDir, randomUUID);
  const { hostId, role } = settings;
  // Whoever looks for the worker of this state folder finds the supervisor.
  const lock = lockHost(stateDir, hostId === own ? null : hostId, { cluster: '', role, supervised: false });
  let leave = () => process.exit(EXIT.interrupted);
  const interrupts = catchInterrupts(() => leave());
  try {
    const supervisor = new WorkerSupervisor({
      script: process.argv[1] ?? '',
      workers: argumentsOf(context, settings, hostId ?? own),
      env: io.env,
      healthPort: settings.healthPort,
      say,
      signal: interrupts.signal,
      onReady: ({ address, hostIds }) => {
        if (json) printJson(io, { address, host_ids: hostIds, state_dir: stateDir });
        else say(`${hostIds.length} workers are ready (Temporal at ${address}). Ctrl-C stops them.`);
      },
      now: io.now,
    });
    leave = () => {
      supervisor.stop();
      return process.exit(EXIT.interrupted);
    };
    interrupts.signal.addEventListener('abort', () => say('Stopping the workers. Ctrl-C again leaves now.'));
    await supervisor.run();
  } finally {
    interrupts.release();
    lock.release();
  }
}

/** The command line of each process. */
function argumentsOf({ stateDir, log }: CommandContext, settings: WorkerSettings, name: string): string[][] {
  const { role, capacity, processes, drainTimeout, diskKeepFree, metricsPort } = settings;
  const shares = holdsSandboxes(role)
    ? divideCapacity(capacityOf(capacity, role), defaultCapacities(), processes)
    : [];
  return Array.from({ length: processes }, (_, index) => {
    const share = Object.entries(shares[index] ?? {}).map(([kind, n]) => `${kind}=${n}`);
    const flags = {
      'host-id': `${name}-${index + 1}`,
      role,
      processes: 1,
      'drain-timeout': drainTimeout,
      'state-dir': stateDir,
      'log-level': log.level,
      ...(share.length > 0 ? { capacity: share.join(',') } : {}),
      ...(diskKeepFree === null ? {} : { 'disk-keep-free': diskKeepFree }),
      // One port per process: the SDK's metrics cannot be shared.
      ...(metricsPort === null ? {} : { 'metrics-port': metricsPort + index }),
    };
    return ['worker', ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)])];
  });
}
