import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface ResolveOptions extends CommonOptions {
  as?: string;
  note?: string;
}

const EXPLANATION = `
Decisions:
  accepted   the score stands: the rollout is a success
  rejected   the score is not to be trusted: it stays in the record, and reports name the rollout
  terminal   given up: no further attempt is made
`;

/** `longrun queue resolve`. */
export function resolveCommand(io: CliIo): Command {
  const command = new Command('resolve')
    .description('Record what you decided on a rollout that needs review. Decisions are appended.')
    .argument('<rollout>', 'Id of the rollout: run/task/sample')
    .option('--as <decision>', 'accepted, rejected or terminal')
    .option('--note <text>', 'Why, for whoever reads it later')
    .addHelpText('after', EXPLANATION)
    .action((id: string, options: ResolveOptions) => resolve(id, options, io));
  return withCommonOptions(
    command,
    'longrun queue resolve tblite-20260412-1503-k3f9/csv-statistics/0 --as rejected --note "wrote its own reward"',
  );
}

async function resolve(id: string, options: ResolveOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson } = await import('../print.js');
  const { badInput } = await import('../../core/errors.js');
  const { RESOLUTIONS } = await import('../../store/records/replay.schema.js');
  const { resolveRollout } = await import('../../queue/resolve.js');
  const { findRollout } = await import('../../records/find-rollout.js');
  const { userName } = await import('../../launch/replay/open-replay.js');
  const { queueRowSchema } = await import('../../queue/read-queue.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const as = RESOLUTIONS.find((known) => known === options.as);
  if (as === undefined) {
    const found = options.as === undefined ? 'nothing' : `"${options.as}"`;
    throw badInput(
      `--as: found ${found}, accepted: ${RESOLUTIONS.join(', ')}.`,
      'longrun queue resolve --help says what each means.',
    );
  }
  const { json, stateDir, say } = await commandContext(options, io);
  const { store, key } = await findRollout(stateDir, id, io.env);
  const decision = { as, note: options.note ?? null, by: userName(), at: io.now() };
  const row = await resolveRollout(store, key, decision);
  if (json) printJson(io, toWire(queueRowSchema, row));
  else say(`${row.rolloutId} is ${as}: it is in the queue ${row.state} now.`);
}
