import { Command, Option } from 'commander';
import { settingTable } from '../../config/setting-table.js';
import { AMENDABLE, type Amendable } from '../../core/run/limits.js';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

type SetOptions = CommonOptions & Partial<Record<Amendable, string>>;

const NOTES = `
What was spent stays spent: a budget is the ceiling of the whole run, group or rollout, not an addition.
A run that its budget has paused goes on by itself once that is raised; one that you have paused does not.
A new weight or priority counts for rollouts that start from now on.

Exit codes: 0 done, 1 error, 2 bad input.
`;

/** `longrun runs set`. */
export function setCommand(io: CliIo): Command {
  const command = new Command('set')
    .description('Change the budgets, concurrency, weight or priority of a run that is not finished.')
    .argument('<run>', 'Id of the run')
    .addHelpText('after', NOTES)
    .action((runId: string, options: SetOptions) => set(runId, options, io));
  for (const row of settingTable()) {
    if (!(AMENDABLE as readonly string[]).includes(row.name)) continue;
    command.addOption(new Option(`${row.flag} <${row.placeholder}>`, row.description));
  }
  return withCommonOptions(command, 'longrun runs set tblite-20260412-1503-k3f9 --budget-usd 20');
}

async function set(runId: string, options: SetOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson } = await import('../print.js');
  const { readLimitFlags } = await import('../../config/limit-flags.js');
  const { setLimits } = await import('../../launch/set-limits.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { limitChangesSchema } = await import('../../store/records/limits.schema.js');
  const { json, stateDir, say } = await commandContext(options, io);
  const changes = readLimitFlags(options);
  const { config, before, worked } = await setLimits({ stateDir, env: io.env, now: io.now }, runId, changes);
  if (json) {
    const limits = Object.fromEntries(AMENDABLE.map((name) => [name, config[name]]));
    return printJson(io, {
      run_id: runId,
      limits: toWire(limitChangesSchema, limits),
      was: before?.status ?? null,
      was_paused_by: before?.reason ?? null,
    });
  }
  say(`The limits of run ${runId} were changed.`);
  if (before?.status === 'paused' && before.reason === 'person')
    say(`You have paused it: carry it on with: longrun runs resume ${runId}`);
  else if (before !== null && !['running', 'paused', 'draining'].includes(before.status))
    say(`It has ended: the budgets are those of its replays from now on.`);
  else if (before === null || !worked)
    say(`No worker is running. Work on it with:\n  longrun runs resume ${runId}`);
}
