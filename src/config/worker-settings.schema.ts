import { z } from 'zod';
import { HOST_ROLES } from '../core/host/host-role.js';

const port = z.int().min(1).max(65_535).nullable().default(null);

/** Every setting of `longrun worker`: the one source of its flags and its environment variables. */
export const workerSettingsSchema = z.strictObject({
  role: z
    .enum(HOST_ROLES)
    .default('all')
    .describe(
      'orchestrator moves workflows and keeps the books, host holds sandboxes and works beside them, all does both',
    ),
  hostId: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)
    .nullable()
    .default(null)
    .meta({ accepted: 'letters, digits, ".", "_" and "-", at most 63, starting with a letter or digit' })
    .describe('Stable name of this host; by default the state folder has one'),
  capacity: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'Sandboxes to hold at once: of each kind, or by kind (docker=8,bubblewrap=16); by default as the machine bears',
    ),
  processes: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe(
      'Worker processes that share the capacity, each a host of its own; one that dies is started again',
    ),
  drainTimeout: z
    .string()
    .regex(/^(0|[1-9]\d*(s|m|h))$/)
    .default('0')
    .meta({ accepted: '0, or a whole number of seconds, minutes or hours (90s, 10m, 2h)' })
    .describe(
      'When asked to stop, take no new rollouts and wait so long for those in hand to end; 0 leaves their sandboxes for the next start of this host',
    ),
  diskKeepFree: z
    .string()
    .regex(/^(0|[1-9]\d*[mgt])$/)
    .nullable()
    .default(null)
    .meta({ accepted: '0, or a whole number of megabytes, gigabytes or terabytes (500m, 20g, 1t)' })
    .describe(
      'With less disk free than this, remove images of tasks that longrun built here, the least recently used first; by default a tenth of the disk and at most 5g, 0 = never',
    ),
  healthPort: port.describe('Serve /healthz and /readyz on this port of the loopback interface'),
  metricsPort: port.describe('Serve Prometheus metrics on this port of the loopback interface'),
});

export type WorkerSettings = z.infer<typeof workerSettingsSchema>;
export type WorkerSettingName = keyof WorkerSettings;
