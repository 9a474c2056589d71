import type { Logger } from 'pino';
import { checkStateFolder } from '../config/check-state-folder.js';
import {
  type CommonSettings,
  type FlagValues,
  mergeCommonSettings,
  mergeProcessSettings,
  mergeServeSettings,
  mergeSettings,
} from '../config/merge-settings.js';
import type { ProcessSettingName, ProcessSettings } from '../config/process-settings.schema.js';
import type { ServeSettingName, ServeSettings } from '../config/serve-settings.schema.js';
import type { Settings } from '../config/settings.schema.js';
import { stateFolder } from '../config/state-folder.js';
import { literalKey } from '../config/upload-key.js';
import { escapeTerminal } from '../report/escape-terminal.js';
import { checkStoreUrl } from '../store/index.js';
import { type CliIo, wantsColour } from './cli-io.js';
import type { CommonOptions } from './common-options.js';
import { createLogger, secretValues } from './logger.js';

/** What a command needs besides its own options. */
export interface CommandContext {
  io: CliIo;
  json: boolean;
  stateDir: string;
  log: Logger;
  /** Plain text for the person, on standard error. Escaped here. */
  say(line: string): void;
  /** Sends lines and logs through a live view, so that it is not torn; null = straight out again. */
  redirect(print: ((text: string) => void) | null): void;
}

/** Resolves the common options by flags > environment > file > defaults; other settings are not looked at. */
export async function commandContext(options: CommonOptions, io: CliIo): Promise<CommandContext> {
  const { json, stateDir, store, logLevel } = options;
  const given = Object.entries({ json, stateDir, store, logLevel }).filter(
    ([, value]) => value !== undefined,
  );
  const { settings, warnings } = await mergeCommonSettings(Object.fromEntries(given), io.env);
  return openContext(settings, warnings, io);
}

/** The same with all settings, for the commands that take them. */
export async function settingsContext(
  flags: FlagValues,
  io: CliIo,
): Promise<CommandContext & { settings: Settings }> {
  const { settings, warnings } = await mergeSettings(flags, io.env);
  return { ...openContext(settings, warnings, io, literalSecrets(settings)), settings };
}

/** The same with those of `longrun process`. */
export async function processContext(
  flags: FlagValues<ProcessSettingName>,
  io: CliIo,
): Promise<CommandContext & { settings: ProcessSettings }> {
  const { settings, warnings } = await mergeProcessSettings(flags, io.env);
  return { ...openContext(settings, warnings, io, literalSecrets(settings)), settings };
}

/** The same with those of `longrun serve`. */
export async function serveContext(
  flags: FlagValues<ServeSettingName>,
  io: CliIo,
): Promise<CommandContext & { settings: ServeSettings }> {
  const { settings, warnings } = await mergeServeSettings(flags, io.env);
  const token = settings.tokenEnv === null ? undefined : io.env[settings.tokenEnv];
  const secrets = [...literalSecrets(settings), ...(token ? [token] : [])];
  return { ...openContext(settings, warnings, io, secrets), settings };
}

function literalSecrets({ trajectory }: Pick<Settings, 'trajectory'>): string[] {
  return [literalKey(trajectory.uploadApiKey)].flatMap((literal) => literal ?? []);
}

function openContext(
  settings: CommonSettings,
  warnings: readonly string[],
  io: CliIo,
  secrets: readonly string[] = [],
): CommandContext {
  const straight = (text: string): void => {
    io.stderr.write(text);
  };
  let print = straight;
  const log = createLogger({
    level: settings.logLevel,
    pretty: io.stderr.isTTY === true,
    colour: wantsColour(io.stderr, io.env),
    secrets: [...secretValues(io.env, settings.apiKeyEnv), ...secrets],
    write: (line) => print(line),
  });
  const say = (line: string): void => print(`${escapeTerminal(line)}\n`);
  const stateDir = stateFolder(settings.stateDir, io.env);
  for (const warning of [...warnings, ...checkStateFolder(stateDir)]) say(warning);
  useStore(settings.store, io.env);
  return {
    io,
    json: settings.json,
    stateDir,
    log,
    say,
    redirect: (through) => {
      print = through ?? straight;
    },
  };
}

/** One store for all that this command does, in processes that it starts as well: they look where `openStore` looks. */
function useStore(storeUrl: string | null, env: NodeJS.ProcessEnv): void {
  if (storeUrl === null) return;
  checkStoreUrl(storeUrl);
  env.LONGRUN_STORE = storeUrl;
}
