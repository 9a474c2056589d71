import type { Command } from 'commander';
import type { CliIo } from './cli-io.js';

/** A top-level command: its module is loaded only when it is named, so that `longrun --help` stays quick. */
export interface CommandEntry {
  name: string;
  group: string;
  summary: string;
  load(): Promise<(io: CliIo) => Command>;
}

const RUN = 'Run:';
const LOOK = 'Look:';
export const MACHINERY = 'Machinery:';

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'evaluate',
    group: RUN,
    summary: 'Run a model on a benchmark and report how good it is',
    load: async () => (await import('./commands/evaluate.js')).evaluateCommand,
  },
  {
    name: 'runs',
    group: LOOK,
    summary: 'List, show, watch, pause, resume, cancel and recover runs',
    load: async () => (await import('./commands/runs.js')).runsCommand,
  },
  {
    name: 'rollouts',
    group: LOOK,
    summary: 'Read what an agent did',
    load: async () => (await import('./commands/rollouts.js')).rolloutsCommand,
  },
  {
    name: 'tasks',
    group: LOOK,
    summary: 'List, show and validate tasks',
    load: async () => (await import('./commands/tasks.js')).tasksCommand,
  },
  {
    name: 'up',
    group: MACHINERY,
    summary: 'Temporal server and worker in the foreground, for long work',
    load: async () => (await import('./commands/up.js')).upCommand,
  },
  {
    name: 'down',
    group: MACHINERY,
    summary: 'Stop server and worker of the state folder',
    load: async () => (await import('./commands/down.js')).downCommand,
  },
  {
    name: 'worker',
    group: MACHINERY,
    summary: 'A worker only, for a server that runs elsewhere',
    load: async () => (await import('./commands/worker.js')).workerCommand,
  },
  {
    name: 'doctor',
    group: MACHINERY,
    summary: 'Check what longrun needs, and how to fix it',
    load: async () => (await import('./commands/doctor.js')).doctorCommand,
  },
  {
    name: 'schema',
    group: MACHINERY,
    summary: 'JSON Schema of the settings file, for editors',
    load: async () => (await import('./commands/schema.js')).schemaCommand,
  },
  {
    name: 'completion',
    group: MACHINERY,
    summary: 'Shell completion for bash, zsh, fish and PowerShell',
    load: async () => (await import('./commands/completion.js')).completionCommand,
  },
];
