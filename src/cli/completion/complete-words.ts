import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Option, RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { stateFolder } from '../../config/state-folder.js';
import { captured } from './completion-script.js';

type Complete = (value: string, description: string) => void;

const FOLDER_OPTIONS = ['state-dir', 'output', 'config'];

/** Suggestions for a command line typed so far, in the format of the completion scripts. */
export function completeWords(program: Command, words: readonly string[], env: NodeJS.ProcessEnv): string {
  const root = tab(program, { completionCommandName: 'completion' });
  addValues(root, words.at(-1) ?? '', env);
  return captured(() => root.parse([...words]));
}

/** What only this machine knows: environments and folders, runs of the state folder. */
function addValues(root: RootCommand, word: string, env: NodeJS.ProcessEnv): void {
  const folders = (complete: Complete): void => {
    for (const folder of foldersFor(word)) complete(folder, 'folder');
  };
  for (const command of root.commands.values()) {
    for (const name of ['environment', 'tasks']) {
      const argument = command.arguments.get(name);
      if (argument) argument.handler = (complete) => completeEnvironments(complete, folders);
    }
    const run = command.arguments.get('run');
    if (run) run.handler = (complete) => completeRuns(complete, env);
    for (const name of FOLDER_OPTIONS) {
      const option: Option | undefined = command.options.get(name);
      if (option) option.handler = folders;
    }
  }
}

function completeEnvironments(complete: Complete, folders: (complete: Complete) => void): void {
  complete('tblite', 'built-in environment');
  folders(complete);
}

function completeRuns(complete: Complete, env: NodeJS.ProcessEnv): void {
  // Asking a bucket would take longer than a person waits for a word.
  if (env.LONGRUN_STORE) return;
  for (const run of namesIn(join(stateFolder(null, env), 'store', 'runs'))) complete(run, 'run');
}

function foldersFor(word: string): string[] {
  const folder = word.endsWith('/') ? word : `${dirname(word)}/`;
  const prefix = word.includes('/') ? folder : '';
  return namesIn(folder).map((name) => `${prefix}${name}/`);
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  } catch {
    // Nothing to suggest where nothing can be read.
    return [];
  }
}
