import type { z } from 'zod';
import { groupSettings } from './process-settings.schema.js';
import { serveSettings } from './serve-settings.schema.js';
import { settingsSchema } from './settings.schema.js';

/** Every setting that longrun.yaml may have, whichever command reads it. */
export const fileSettingsSchema = settingsSchema.extend({ ...groupSettings, ...serveSettings });
export type FileSettingName = keyof z.infer<typeof fileSettingsSchema>;
