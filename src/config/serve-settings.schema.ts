import { z } from 'zod';
import { settingUrlSchema } from '../core/model/endpoint-url.schema.js';
import { serveConfigSchema } from '../core/run/serve-config.schema.js';
import { groupSettings } from './process-settings.schema.js';
import { settingsSchema } from './settings.schema.js';

const run = serveConfigSchema.shape;
const name = z.string().min(1);

/** What `longrun serve` takes about trainers and where groups go. */
export const serveSettings = {
  atropos: settingUrlSchema('a proxy on this machine can add what the server asks for')
    .nullable()
    .default(null)
    .describe('Atropos server that groups are posted to, as one of its environments'),
  listen: z
    .string()
    .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]*):\d{1,5}$/)
    .nullable()
    .default(null)
    .meta({ accepted: 'HOST:PORT, :PORT or [IPV6]:PORT' })
    .describe('Serve the trainer API there; a host that is not loopback needs token_env'),
  tinker: name.nullable().default(null).describe('Folder for batches of Tinker datums'),
  jsonl: name.nullable().default(null).describe('Folder for rows of groups, as longrun process writes them'),
  format: z
    .array(name)
    .default(['atropos-group'])
    .describe('For jsonl: formats of its rows, separated by commas'),
  tokenEnv: name
    .nullable()
    .default(null)
    .describe('For listen: name of the environment variable that holds the token clients have to send'),
  policyOrigin: z
    .array(settingUrlSchema('scheme, host and port, such as http://10.0.0.7:8000'))
    .default([])
    .meta({ accepted: 'scheme, host and port, such as http://10.0.0.7:8000' })
    .describe(
      "Origin of an inference endpoint that clients and trainers may name beside the run's own; may be given several times",
    ),
  maxQueue: run.maxQueue.describe('For listen: groups that wait for the trainer, at most'),
  batchGroups: run.batchGroups.describe('For tinker: groups in a batch'),
  maxBatchesOffpolicy: run.maxBatchesOffpolicy.describe(
    'Batches that may be queued or in the making ahead of the trainer',
  ),
  atroposWeight: run.weight.describe('For atropos: share of its batches beside other environments'),
  maxTokenLength: run.maxTokenLength.describe(
    'Longest training sequence in tokens; by default as the trainer says',
  ),
  maxLag: run.maxLag.describe(
    'Rollouts of a policy older than so many versions are masked when they are delivered; by default none is',
  ),
  policyVersions: run.policyVersions.describe(
    'Who says which policy version sampled: the trainer, or the inference endpoint in its answers',
  ),
  keepZeroVariance: run.keepZeroVariance.describe('Groups in which all rewards are equal are delivered, too'),
  shiftRollouts: run.shiftRollouts.describe('Rollouts that one shift of the run starts'),
};

/** Every setting of `longrun serve`. */
export const serveSettingsSchema = settingsSchema
  .extend({
    ...groupSettings,
    groups: groupSettings.groups.describe(
      'Groups of the whole run, tasks in turn; by default it goes on until it is stopped',
    ),
    ...serveSettings,
  })
  .omit({ samples: true, failUnder: true, output: true, saveTrajectories: true, trajectoryFile: true });
export type ServeSettings = z.infer<typeof serveSettingsSchema>;
export type ServeSettingName = keyof ServeSettings;
