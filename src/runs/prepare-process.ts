import type { groupSettings, ProcessSettings } from '../config/process-settings.schema.js';
import { badInput } from '../core/errors.js';
import type { GroupConfig } from '../core/group/group-config.schema.js';
import { type PreparedRun, type PrepareOptions, prepareRun } from './prepare-run.js';

export interface ProcessOptions extends Omit<PrepareOptions, 'settings'> {
  settings: ProcessSettings;
}

/** As `prepareRun`, for a run of mode `process`: groups instead of single rollouts. Errors: its own, and `bad_input`. */
export async function prepareProcess({ settings, ...options }: ProcessOptions): Promise<PreparedRun> {
  const config = groupConfigOf(settings);
  const own = { samples: settings.groupSize, failUnder: null };
  return await prepareRun({ ...options, settings: { ...settings, ...own } }, config);
}

type GroupSettings = Pick<ProcessSettings, keyof typeof groupSettings>;

/** What the settings say about groups. Errors: `bad_input` for contradictions. */
export function groupConfigOf(settings: GroupSettings): GroupConfig {
  refuseContradictions(settings);
  const { groupSize, groups, estimator, groupPolicy, minValid, groupDeadlineMs } = settings;
  const { deadGroups, gamma, tokenPenalty, turnPenalty } = settings;
  return {
    groupSize,
    groups,
    estimator,
    groupPolicy,
    minValid,
    groupDeadlineMs,
    deadGroups,
    gamma,
    tokenPenalty,
    turnPenalty,
  };
}

/** What would silently do nothing, or leave no group valid. */
function refuseContradictions({ groupPolicy, minValid, groupSize, groupDeadlineMs }: GroupSettings): void {
  if (groupPolicy === 'min-valid' && minValid === null)
    throw badInput(
      'The group policy min-valid needs to know how many scored members are enough.',
      `Give --min-valid, from 1 to ${groupSize}.`,
    );
  if (minValid !== null && minValid > groupSize)
    throw badInput(
      `No group could be valid: min_valid is ${minValid}, and a group has ${groupSize} members.`,
      `Give --min-valid from 1 to ${groupSize}, or a larger --group-size.`,
    );
  if (groupPolicy === 'min-valid') return;
  const useless = [
    minValid === null ? [] : '--min-valid',
    groupDeadlineMs === null ? [] : '--group-deadline-ms',
  ];
  if (useless.flat().length > 0)
    throw badInput(
      `${useless.flat().join(' and ')} would do nothing: the group policy is complete, which waits for all members.`,
      'Add --group-policy min-valid.',
    );
}
