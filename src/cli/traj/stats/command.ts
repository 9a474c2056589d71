import { Command } from 'commander';
import { REWARD_ORDER_HELP } from '../../../core/reward/reward-order.js';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { type InputOptions, withInputs } from '../traj-options.js';

interface StatsFlags extends InputOptions {
  rewardOrder?: string;
  passThreshold?: string;
}

/** `longrun traj stats`. */
export function statsCommand(io: CliIo): Command {
  const command = withInputs(new Command('stats'))
    .description('Rows, tokens, turns, tools, reasoning, and what the rewards are worth.')
    .option('--reward-order <sources>', REWARD_ORDER_HELP)
    .option(
      '--pass-threshold <number>',
      'Least reward that is a pass, for rows that do not say so (default: 1)',
    )
    .action((inputs: string[], options: StatsFlags) => stats(inputs, options, io));
  return withCommonOptions(command, 'longrun traj stats scored.jsonl');
}

async function stats(positionals: string[], options: StatsFlags, io: CliIo): Promise<void> {
  const { commandContext } = await import('../../command-context.js');
  const { printJson, printLines } = await import('../../print.js');
  const { badInput } = await import('../../../core/errors.js');
  const { parseRewardOrder } = await import('../../../core/reward/reward-order.js');
  const { StatsTally } = await import('../../../trajectories/stats/stats-tally.js');
  const { statsReportSchema } = await import('../../../trajectories/stats/stats-report.schema.js');
  const { toWire } = await import('../../../store/wire/wire.js');
  const { commandInputs } = await import('../traj-inputs.js');
  const { inputNames } = await import('../traj-options.js');
  const { statsLines } = await import('./render.js');
  const { lookOf } = await import('../../look.js');
  const { passThreshold = '1' } = options;
  if (passThreshold.trim() === '' || !Number.isFinite(Number(passThreshold)))
    throw badInput(`--pass-threshold: found "${passThreshold}", accepted: a number.`);
  const order = parseRewardOrder(options.rewardOrder);
  const context = await commandContext(options, io);
  const names = inputNames(positionals, options);
  const { inputs, progress, done, rejected } = await commandInputs(context, names, {
    strict: options.strict === true,
  });
  const tally = new StatsTally({ order, passThreshold: Number(passThreshold) });
  for await (const episode of inputs.read()) {
    tally.add(episode);
    progress.step('episodes read');
  }
  done();
  const report = tally.report();
  if (context.json) printJson(io, { ...(toWire(statsReportSchema, report) as object), rejected: rejected() });
  else printLines(io, statsLines(report, lookOf(io)));
}
