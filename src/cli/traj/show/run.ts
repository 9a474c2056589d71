import { badInput } from '../../../core/errors.js';
import { type Episode, episodeSchema } from '../../../core/trajectory/episode.schema.js';
import { renderTurns, rule, type TurnOptions } from '../../../report/conversation.js';
import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import { reward } from '../../../report/quantities.js';
import { toWire } from '../../../store/wire/wire.js';
import type { EpisodeInputs } from '../../../trajectories/files/inputs.js';
import type { CliIo } from '../../cli-io.js';
import { commandContext } from '../../command-context.js';
import { lookOf } from '../../look.js';
import { printJson, printLines } from '../../print.js';
import { commandInputs } from '../traj-inputs.js';
import type { InputOptions } from '../traj-options.js';
import { inputNames } from '../traj-options.js';

export interface ShowFlags extends InputOptions {
  session?: string;
  full?: boolean;
}

/** `longrun traj show`. */
export async function showLine(positionals: readonly string[], flags: ShowFlags, io: CliIo): Promise<void> {
  const context = await commandContext(flags, io);
  const { inputs, done } = await commandInputs(context, inputNames(positionals, flags), {
    strict: flags.strict === true,
  });
  const episode = await find(inputs, flags.session);
  done();
  if (context.json) return printJson(io, toWire(episodeSchema, episode));
  printLines(io, renderEpisode(episode, { ...lookOf(io), full: flags.full === true }));
}

/** So many sessions are named where the one that was asked for is not there. */
const NAMED = 3;

/** The first, or the one of this session; nothing is read after it. */
async function find(inputs: EpisodeInputs, session: string | undefined): Promise<Episode> {
  const seen: string[] = [];
  for await (const episode of inputs.read()) {
    if (session === undefined || episode.sessionId === session) return episode;
    if (seen.length <= NAMED) seen.push(episode.sessionId);
  }
  if (session === undefined) throw badInput(`${inputs.description} has no trajectory.`);
  throw badInput(
    `--session: found "${session}", which ${inputs.description} does not have.`,
    seen.length === 0
      ? 'It has none.'
      : `It has: ${seen.slice(0, NAMED).join(', ')}${seen.length > NAMED ? ', …' : '.'}`,
  );
}

function renderEpisode(episode: Episode, options: TurnOptions): string[] {
  const { sessionId, model, outcome, rewards, turns, trajectory } = episode;
  const { errorInfo } = trajectory;
  const facts = [
    outcome.stopReason ?? (outcome.completed ? 'completed' : 'not completed'),
    `${turns.length} turns`,
  ];
  if (model !== null) facts.push(model);
  const failure = outcome.failure ?? (errorInfo && { code: errorInfo.errorType, message: errorInfo.message });
  return [
    options.style('bold', escapeTerminalLine(sessionId)),
    escapeTerminalLine(facts.join(' · ')),
    '',
    ...renderTurns(trajectory.timesteps, options),
    rule('rewards', options),
    ...(rewards.length === 0 ? ['none'] : rewards.map(rewardLine)),
    ...(failure ? [options.style('yellow', escapeTerminalLine(`${failure.code}: ${failure.message}`))] : []),
  ];
}

function rewardLine({ value, source, quality, by, note }: Episode['rewards'][number]): string {
  const who = by === null ? source : `${source}, ${by}`;
  return escapeTerminalLine(`${reward(value)}  ${who} (${quality})${note === null ? '' : `: ${note}`}`);
}
