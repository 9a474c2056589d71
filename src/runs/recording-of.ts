import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TrajectorySettings } from '../config/settings.schema.js';
import { badInput } from '../core/errors.js';
import type { Recording } from '../core/run/recording.schema.js';
import { publicUrl } from '../model/endpoint.js';

/**
 * How a run records its turns: the settings with their folder made absolute, as workers have other working
 * folders, and without the key. Errors: `bad_input` where an upload is asked for and has no address.
 */
export function recordingOf(settings: TrajectorySettings, env: NodeJS.ProcessEnv): Recording {
  const { uploadApiKey: _secret, ...recording } = settings;
  if (recording.autoUpload && recording.uploadEndpoint === null)
    throw badInput(
      'trajectory.auto_upload has nowhere to upload to.',
      'Set trajectory.upload_endpoint in the settings file, or auto_upload to false.',
    );
  const { outputDir, rewardModel } = recording;
  return {
    ...recording,
    outputDir: outputDir === null ? null : absolute(outputDir, env),
    // The query of an address may hold a secret; traj score reads the settings.
    rewardModel: rewardModel !== null && /^https?:/i.test(rewardModel) ? publicUrl(rewardModel) : rewardModel,
  };
}

/** A settings file is no shell: `~` is read here. */
function absolute(folder: string, env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir();
  return folder === '~' || folder.startsWith('~/') ? join(home, folder.slice(1)) : resolve(folder);
}
