import { resolve } from 'node:path';
import { LongrunError } from '../../../core/errors.js';
import { catchInterrupts } from '../../../launch/interrupts.js';
import { openOutput, type RowOutput } from '../../../trajectories/files/output.js';
import { type Asked, askScores } from '../../../trajectories/score/ask-scores.js';
import { EVALUATED_FILE } from '../../../trajectories/score/evaluated-line.js';
import { ScoreBook } from '../../../trajectories/score/score-book.js';
import { writeScored } from '../../../trajectories/score/score-episodes.js';
import type { Scorer } from '../../../trajectories/score/scorer.js';
import { type CliIo, EXIT } from '../../cli-io.js';
import { type CommandContext, settingsContext } from '../../command-context.js';
import { lockOutput } from '../../output-lock.js';
import { printJson } from '../../print.js';
import { type CommandInputs, commandInputs } from '../traj-inputs.js';
import { inputNames } from '../traj-options.js';
import type { ScoreFlags } from './plan.js';
import { type ScorePlan, scorePlan } from './plan.js';
import { type ScoreReport, scoreDocument, scoreLines } from './render.js';

const LEDGER = '.scores.jsonl';

/** `longrun traj score`: asks, keeps, writes, and says what came of it. */
export async function scoreLine(positionals: readonly string[], flags: ScoreFlags, io: CliIo): Promise<void> {
  const { json, stateDir, store, logLevel, baseUrl, apiKeyEnv } = flags;
  const given = Object.entries({ json, stateDir, store, logLevel, baseUrl, apiKeyEnv }).filter(
    ([, value]) => value !== undefined,
  );
  const context = await settingsContext(Object.fromEntries(given), io);
  const names = inputNames(positionals, flags);
  const path = flags.output ?? 'scored.jsonl';
  const plan = await scorePlan(flags, context.settings, io);
  // Two at once would both pay for the same scores.
  const lock = lockOutput(context.stateDir, resolve(path));
  try {
    const output = await openOutput(path, {
      force: flags.force === true,
      name: 'scored.jsonl',
      siblings: plan.evaluated === null ? [] : [EVALUATED_FILE],
    });
    try {
      await score({ context, flags, names, plan, output });
    } finally {
      await output.abandon();
    }
  } finally {
    lock.release();
    await plan.scorer?.close();
  }
}

interface Work {
  context: CommandContext;
  flags: ScoreFlags;
  names: readonly string[];
  plan: ScorePlan;
  output: RowOutput;
}

async function score({ context, flags, names, plan, output }: Work): Promise<void> {
  const { io } = context;
  const inputs = await commandInputs(context, names, {
    strict: flags.strict === true,
    reject: (rejection) => output.reject(rejection),
  });
  const { scorer } = plan;
  const book = scorer && (await ScoreBook.open(output.pathOf(LEDGER), scorer.identity));
  try {
    const result = scorer && book ? await ask(scorer, book, inputs, context) : null;
    const counts = await writeScored(inputs.inputs, output, book && result ? { book, result } : null, {
      shape: plan.shape,
      implicit: plan.implicit,
      order: plan.order,
      evaluated: plan.evaluated,
      now: io.now(),
    });
    const files = await output.commit();
    inputs.done();
    const report: ScoreReport = { counts, asked: result, plan, files, rejected: inputs.rejected() };
    if (context.json) printJson(io, scoreDocument(report));
    else for (const line of scoreLines(report)) context.say(line);
    const missed = counts.failed > 0 && (counts.rewarded === 0 || flags.strict === true);
    if (missed) io.exitCode = EXIT.error;
  } finally {
    await book?.close();
  }
}

/** The first Ctrl-C lets calls in the air end and keeps their scores, the second one leaves now. */
async function ask(
  scorer: Scorer,
  book: ScoreBook,
  inputs: CommandInputs,
  { io, say }: CommandContext,
): Promise<Asked> {
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  let kept = 0;
  try {
    const asked = await askScores(inputs.inputs, scorer, book, {
      now: io.now,
      stop: interrupts.signal,
      onOutcome: (outcome) => {
        if ('score' in outcome) kept += 1;
        inputs.progress.step('episodes scored');
      },
    });
    if (!interrupts.signal.aborted) return asked;
  } catch (error) {
    if (!interrupts.signal.aborted) {
      if (kept > 0) say(`${kept} scores are kept: the same command goes on from there.`);
      throw error;
    }
  } finally {
    interrupts.release();
    inputs.progress.end();
  }
  throw new LongrunError('cancelled', 'Scoring was interrupted; nothing was written but the scores so far', {
    exitCode: EXIT.interrupted,
    hint: 'The same command goes on from there: what is scored is not asked for again.',
  });
}
