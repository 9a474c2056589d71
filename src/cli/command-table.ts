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
    load: async () => (await import('./evaluate/command.js')).evaluateCommand,
  },
  {
    name: 'bench',
    group: RUN,
    summary: 'Run a benchmark and keep its trajectories in a folder',
    load: async () => (await import('./bench/command.js')).benchCommand,
  },
  {
    name: 'process',
    group: RUN,
    summary: 'Groups of rollouts with advantages, written as training data',
    load: async () => (await import('./process/command.js')).processCommand,
  },
  {
    name: 'serve',
    group: RUN,
    summary: 'Feed trainers with groups for as long as they train: Atropos, Tinker, an API of its own',
    load: async () => (await import('./serve/command.js')).serveCommand,
  },
  {
    name: 'replay',
    group: RUN,
    summary: 'New attempts at rollouts of a run, from the start or from what is recorded',
    load: async () => (await import('./replay/command.js')).replayCommand,
  },
  {
    name: 'runs',
    group: LOOK,
    summary: 'List, show, watch, pause, resume, limit, cancel and recover runs',
    load: async () => (await import('./runs/command.js')).runsCommand,
  },
  {
    name: 'rollouts',
    group: LOOK,
    summary: 'Read what an agent did',
    load: async () => (await import('./rollouts/command.js')).rolloutsCommand,
  },
  {
    name: 'traj',
    group: LOOK,
    summary: 'Trajectories: look at them, convert them, make training data of them',
    load: async () => (await import('./traj/command.js')).trajCommand,
  },
  {
    name: 'queue',
    group: LOOK,
    summary: 'Rollouts by what has to be done about them: retry, review, done',
    load: async () => (await import('./queue/command.js')).queueCommand,
  },
  {
    name: 'tasks',
    group: LOOK,
    summary: 'List, show and validate tasks',
    load: async () => (await import('./tasks/command.js')).tasksCommand,
  },
  {
    name: 'hosts',
    group: LOOK,
    summary: 'List the workers that the store knows',
    load: async () => (await import('./hosts/command.js')).hostsCommand,
  },
  {
    name: 'up',
    group: MACHINERY,
    summary: 'Temporal server and worker in the foreground, for long work',
    load: async () => (await import('./worker/up-command.js')).upCommand,
  },
  {
    name: 'down',
    group: MACHINERY,
    summary: 'Stop server and worker of the state folder',
    load: async () => (await import('./down/command.js')).downCommand,
  },
  {
    name: 'worker',
    group: MACHINERY,
    summary: 'A worker, or several, for this server or one that runs elsewhere',
    load: async () => (await import('./worker/command.js')).workerCommand,
  },
  {
    name: 'model',
    group: MACHINERY,
    summary: 'A scripted policy behind an endpoint, to test with',
    load: async () => (await import('./model/command.js')).modelCommand,
  },
  {
    name: 'sandboxes',
    group: MACHINERY,
    summary: 'List and clear away containers and images of this host',
    load: async () => (await import('./sandboxes/command.js')).sandboxesCommand,
  },
  {
    name: 'doctor',
    group: MACHINERY,
    summary: 'Check what longrun needs, and how to fix it',
    load: async () => (await import('./doctor/command.js')).doctorCommand,
  },
  {
    name: 'schema',
    group: MACHINERY,
    summary: 'JSON Schema of the settings file and of trajectories, for editors',
    load: async () => (await import('./schema/command.js')).schemaCommand,
  },
  {
    name: 'completion',
    group: MACHINERY,
    summary: 'Shell completion for bash, zsh, fish and PowerShell',
    load: async () => (await import('./completion/command.js')).completionCommand,
  },
];
