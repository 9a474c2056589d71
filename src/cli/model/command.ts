import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { serveScriptedCommand } from './serve-scripted/command.js';

/** `longrun model …`. */
export function modelCommand(io: CliIo): Command {
  return new Command('model')
    .description('Models to test with.')
    .addCommand(serveScriptedCommand(io))
    .addHelpText('after', '\nExample:\n  $ longrun model serve-scripted --port 8100\n');
}
