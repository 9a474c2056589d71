import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../../common-options.js';

interface FeedbackOptions extends CommonOptions {
  note?: string;
  by?: string;
}

const EXPLANATION = `
Feedback is a reward of source user: it goes before reward models, and behind the environment unless
--reward-order says otherwise. Everything said is kept, by whom and when; the newest counts.
`;

/** `longrun traj feedback`. */
export function feedbackCommand(io: CliIo): Command {
  const command = new Command('feedback')
    .description('Records what you think of a rollout.')
    .argument('<rollout>', 'Id of the rollout: run/task/sample')
    .argument('<verdict>', 'up or 👍 (1.0), down or 👎 (0.0), or a number')
    .option('--note <text>', 'Why, for whoever reads it later')
    .option('--by <name>', 'Who says so (default: your user name)')
    .addHelpText('after', EXPLANATION)
    .action((id: string, verdict: string, options: FeedbackOptions) => feedback(id, verdict, options, io));
  return withCommonOptions(
    command,
    'longrun traj feedback tblite-20260412-1503-k3f9/csv-statistics/0 up --note "clean solution"',
  );
}

async function feedback(id: string, verdict: string, options: FeedbackOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../../command-context.js');
  const { printJson } = await import('../../print.js');
  const { badInput } = await import('../../../core/errors.js');
  const { feedbackValue } = await import('../../../core/reward/feedback-value.js');
  const { findRollout } = await import('../../../records/find-rollout.js');
  const { userName } = await import('../../../launch/replay/open-replay.js');
  const { feedbackSchema } = await import('../../../store/records/feedback.schema.js');
  const { toWire } = await import('../../../store/wire/wire.js');
  const { giveFeedback } = await import('../../../trajectories/feedback.js');
  const value = feedbackValue(verdict);
  if (options.by?.trim() === '') throw badInput('--by: found nothing, accepted: a name.');
  const { json, stateDir, say } = await commandContext(options, io);
  const { store, key } = await findRollout(stateDir, id, io.env);
  const by = options.by?.trim() ?? userName();
  const given = { value, by, at: io.now(), note: options.note ?? null };
  const { number, feedback: record } = await giveFeedback(store, key, given);
  if (json) return printJson(io, { rollout_id: id, number, feedback: toWire(feedbackSchema, record) });
  say(`${id}: ${value} by ${by}, the ${ordinal(number)} feedback on it.`);
}

function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}
