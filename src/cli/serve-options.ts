import type { Command } from 'commander';

export interface ServeOptions {
  capacity?: string;
  metricsPort?: string;
}

/** Options of the commands that host a worker in the foreground. */
export function withServeOptions(command: Command): Command {
  return command
    .option('--capacity <n>', 'Sandboxes of each kind to hold at once; by default as the machine bears')
    .option('--metrics-port <port>', 'Serve Prometheus metrics on this port of the loopback interface');
}
