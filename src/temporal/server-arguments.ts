import { SEARCH_ATTRIBUTES } from '../core/run/search-attribute-names.js';

export interface ServerSettings {
  port: number;
  /** Null keeps everything in memory. */
  databaseFile: string | null;
  namespaces: readonly string[];
}

/**
 * The development server's defaults cost up to 50 ms per dispatch (20 polls a second of its one shard) and leave
 * priorities and fairness without effect (which also want one partition per queue).
 */
const DYNAMIC_CONFIG: Record<string, string> = {
  'history.transferProcessorMaxPollRPS': '1000',
  'history.timerProcessorMaxPollRPS': '1000',
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  'matching.enableFairness': 'true',
};

/** Arguments of `temporal` that start the development server on loopback. */
export function serverArguments(settings: ServerSettings): string[] {
  const { port, databaseFile, namespaces } = settings;
  return [
    ...[
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--log-level',
      'error',
    ],
    ...(databaseFile === null ? [] : databaseArguments(databaseFile)),
    ...namespaces.flatMap((name) => ['--namespace', name]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...Object.values(SEARCH_ATTRIBUTES).flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
}

function databaseArguments(file: string): string[] {
  return [
    '--db-filename',
    file,
    ...['journal_mode=WAL', 'synchronous=NORMAL'].flatMap((p) => ['--sqlite-pragma', p]),
  ];
}
