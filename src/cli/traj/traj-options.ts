import { type Command, Option } from 'commander';
import { badInput } from '../../core/errors.js';
import type { CommonOptions } from '../common-options.js';

/** What `withInputs` and `withOutput` add to a `traj` command. */
export interface InputOptions extends CommonOptions {
  input?: string[];
  strict?: boolean;
}
export interface OutputFlags {
  output?: string;
  force?: boolean;
}

/** Inputs as positionals or by `--input`, as often as wanted. */
export function withInputs(command: Command): Command {
  return command
    .argument('[inputs...]', 'Runs, rollouts, folders or files of trajectories')
    .addOption(new Option('--input <name...>', 'The same, by flag'))
    .addOption(new Option('--strict', 'A line that cannot be read is an error; else it is set aside'));
}

/** `--output` and `--force`. `fallback` says where rows go without it. */
export function withOutput(command: Command, fallback: string): Command {
  return command
    .addOption(new Option('--output <path>', `File or folder to write; without it ${fallback}`))
    .addOption(new Option('--force', 'Replace what an earlier call wrote there'));
}

/** All names that were given, in order. Throws `bad_input` when there is none. */
export function inputNames(positionals: readonly string[], { input = [] }: InputOptions): string[] {
  const names = [...positionals, ...input];
  if (names.length > 0) return names;
  throw badInput(
    'no input was named.',
    'Name a run, a rollout, a folder or a file: longrun traj list tblite-20260412-1503-k3f9',
  );
}
