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
    name: 'bench',
    group: RUN,
    summary: 'Run a benchmark and keep its trajectories in a folder',
    load: async () => (await import('./commands/bench.js')).benchCommand,
  },
  {
    name: 'process',
    group: RUN,
    summary: 'Groups of rollouts with advantages, written as training data',
    load: async () => (await import('./commands/process.js')).processCommand,
  },
  {
    name: 'serve',
    group: RUN,
    summary: 'Feed trainers with groups for as long as they train: Atropos, Tinker, an API of its own',
    load: async () => (await import('./commands/serve.js')).serveCommand,
  },
  {
    name: 'replay',
    group: RUN,
    summary: 'New attempts at rollouts of a run, from the start or from what is recorded',
    load: async () => (await import('./commands/replay.js')).replayCommand,
  },
  {
    name: 'runs',
    group: LOOK,
    summary: 'List, show, watch, pause, resume, limit, cancel and recover runs',
    load: async () => (await import('./commands/runs.js')).runsCommand,
  },
  {
    name: 'rollouts',
    group: LOOK,
    summary: 'Read what an agent did',
    load: async () => (await import('./commands/rollouts.js')).rolloutsCommand,
  },
  {
    name: 'traj',
    group: LOOK,
    summary: 'Trajectories: look at them, convert them, make training data of them',
    load: async () => (await import('./commands/traj.js')).trajCommand,
  },
  {
    name: 'queue',
    group: LOOK,
    summary: 'Rollouts by what has to be done about them: retry, review, done',
    load: async () => (await import('./commands/queue.js')).queueCommand,
  },
  {
    name: 'tasks',
    group: LOOK,
    summary: 'List, show and validate tasks',
    load: async () => (await import('./commands/tasks.js')).tasksCommand,
  },
  {
    name: 'hosts',
    group: LOOK,
    summary: 'List the workers that the store knows',
    load: async () => (await import('./commands/hosts.js')).hostsCommand,
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
    summary: 'A worker, or several, for this server or one that runs elsewhere',
    load: async () => (await import('./commands/worker.js')).workerCommand,
  },
  {
    name: 'model',
    group: MACHINERY,
    summary: 'A scripted policy behind an endpoint, to test with',
    load: async () => (await import('./commands/model.js')).modelCommand,
  },
  {
    name: 'sandboxes',
    group: MACHINERY,
    summary: 'List and clear away containers and images of this host',
    load: async () => (await import('./commands/sandboxes.js')).sandboxesCommand,
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
    summary: 'JSON Schema of the settings file and of trajectories, for editors',
    load: async () => (await import('./commands/schema.js')).schemaCommand,
  },
  {
    name: 'completion',
    group: MACHINERY,
    summary: 'Shell completion for bash, zsh, fish and PowerShell',
    load: async () => (await import('./commands/completion.js')).completionCommand,
  },
];
