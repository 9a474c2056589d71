import { isBudget } from '../core/run/pause-reason.js';
import { catchInterrupts } from '../launch/interrupts.js';
import type { AttendOptions, LaunchOutcome } from '../launch/launch-run.js';
import { runDocumentSchema } from '../records/document.js';
import type { RunDocument } from '../records/summary.js';
import { pauseAdvice, pauseNote, raiseCommand } from '../report/pause-text.js';
import { renderScoreboard } from '../report/scoreboard.js';
import type { RunView } from '../runs/status/run-view.js';
import type { RunRecord } from '../store/records/records.schema.js';
import { toWire } from '../store/wire/wire.js';
import { EXIT, wantsColour } from './cli-io.js';
import type { CommandContext } from './command-context.js';
import type { LiveView } from './live/live-view.js';
import { openView } from './live/open-view.js';
import { lookOf } from './look.js';
import { printJson, printLines } from './print.js';
import { errorText } from './print-error.js';

export interface ReporterOptions {
  failUnder: number | null;
  /** Folder for Harbor's job layout; null = none. */
  output: string | null;
  /** Known before the run is; null = it has no name yet. */
  runId: string | null;
  /** The command that carries the run on after a Ctrl-C; by default `runs resume`. */
  carryOn?: (runId: string) => string;
}

/** Finding tasks, asking the model's endpoint and starting a server take a moment. */
const PREPARING = 'Preparing …';
const CLEAR_LINE = '\r\u001b[K';

const ENDS = {
  finished: null,
  cancelled: 'The run was cancelled.',
  failed: 'The run did not finish: its workflow failed.',
} as const;

function pausedByBudget({ run: { runId, pauseReason, pauseDetail, config } }: RunDocument): string {
  if (pauseReason !== null && pauseReason !== 'person' && !isBudget(pauseReason))
    return `The run is paused: ${pauseNote(pauseReason, config, pauseDetail)}. ${pauseAdvice(runId, pauseReason, config)}`;
  const note = pauseNote(pauseReason, config) ?? 'what is left of its budget does not cover what is open';
  const raise = pauseReason === null ? `longrun runs set ${runId}` : raiseCommand(runId, pauseReason, config);
  return `The run is paused: ${note}. Raise it, then carry the run on:\n  ${raise}\n  longrun runs resume ${runId}`;
}

/**
 * Shows a run while it goes and its results at the end, and decides the exit code: what is said
 * last and the code come from here alone.
 */
export class RunReporter {
  private view: LiveView | null = null;
  private preparing = false;
  private runId: string | null;
  private status: RunView['status'] | 'interrupted' = 'interrupted';

  constructor(
    private readonly context: CommandContext,
    private readonly options: ReporterOptions,
  ) {
    this.runId = options.runId;
  }

  /** Opens the live view; from here on logs go through it. */
  open({ runId, config }: Pick<RunRecord, 'runId' | 'config'>): void {
    this.clearPreparing();
    this.runId = runId;
    const view = openView(this.context.io, config.passThreshold);
    this.view = view;
    this.context.redirect((text) => view.print(text));
  }

  /** Runs `work` with Ctrl-C caught: once leaves in order, twice leaves now. */
  async attend(work: (hooks: AttendOptions) => Promise<void>): Promise<void> {
    const { io, log } = this.context;
    const interrupts = catchInterrupts(() => {
      this.close();
      process.exit(EXIT.interrupted);
    });
    const { signal } = interrupts;
    this.showPreparing();
    try {
      await work({ ...this.hooks(), logger: log, signal, now: io.now });
    } catch (error) {
      if (!signal.aborted) throw error;
      this.close();
      io.exitCode = EXIT.interrupted;
      if (this.context.json) printJson(io, { run: { run_id: this.runId, status: this.status } });
    } finally {
      this.close();
      interrupts.release();
    }
  }

  private hooks(): Pick<AttendOptions, 'onUpdate' | 'note' | 'say' | 'onEnd'> {
    return {
      onUpdate: (view, finished) => {
        this.status = view.status;
        this.view?.update(view, finished);
      },
      say: this.context.say,
      note: (text) => {
        if (this.view) this.view.note(text);
        else if (text !== null) this.context.say(text);
      },
      onEnd: (outcome) => this.finish(outcome),
    };
  }

  /** Leaves the last moment of the live view on the screen. */
  close(): void {
    this.clearPreparing();
    this.view?.close();
    this.view = null;
    this.context.redirect(null);
  }

  /** Whoever prints next finds the line free. */
  private showPreparing(): void {
    const { stderr } = this.context.io;
    if (!stderr.isTTY) return;
    this.preparing = true;
    stderr.write(PREPARING);
    this.context.redirect((text) => {
      this.clearPreparing();
      stderr.write(text);
    });
  }

  private clearPreparing(): void {
    if (this.preparing) this.context.io.stderr.write(CLEAR_LINE);
    this.preparing = false;
  }

  private async finish(outcome: LaunchOutcome): Promise<void> {
    this.close();
    const { io, json, say } = this.context;
    if (outcome.kind === 'ended') return await this.printResults(outcome);
    const { runId } = outcome;
    if (outcome.kind === 'detached') {
      if (json) printJson(io, { run: { run_id: runId, status: 'running' } });
      else printLines(io, [`Run ${runId} was started.`, `Watch it with: longrun runs watch ${runId}`]);
      return;
    }
    io.exitCode = EXIT.interrupted;
    if (json) printJson(io, { run: { run_id: runId, status: 'paused' } });
    const carryOn = this.options.carryOn?.(runId) ?? `longrun runs resume ${runId}`;
    say(`Run ${runId} is paused; everything finished is kept. Carry it on with:\n  ${carryOn}`);
  }

  private async printResults({ end, document, store }: LaunchOutcome & { kind: 'ended' }): Promise<void> {
    const { io, json, say } = this.context;
    const { output } = this.options;
    if (output !== null) {
      const { writeJobOutput } = await import('../report/write-job-output.js');
      const folder = await writeJobOutput(store, document, output);
      say(`The results in Harbor's job layout: ${folder}`);
    }
    if (json) printJson(io, toWire(runDocumentSchema, document));
    else printLines(io, renderScoreboard(document, lookOf(io)));
    const ending = end === 'budget' ? pausedByBudget(document) : ENDS[end];
    if (ending !== null) {
      io.exitCode = EXIT.error;
      say(ending);
    }
    this.judge(document);
  }

  private judge({ summary, rollouts }: RunDocument): void {
    const { io, say } = this.context;
    if (io.exitCode !== EXIT.done) return;
    const failure = rollouts.find((result) => result.failure !== null)?.failure;
    if (summary.nScored === 0 && failure) {
      io.exitCode = EXIT.error;
      const message = `Nothing was scored: ${failure.message}`;
      io.stderr.write(errorText(message, failure.hint, wantsColour(io.stderr, io.env)));
      return;
    }
    const { failUnder } = this.options;
    const passAt1 = summary.passAt['1']?.estimate ?? null;
    if (failUnder === null || (passAt1 !== null && passAt1 >= failUnder)) return;
    io.exitCode = EXIT.belowThreshold;
    const found = passAt1 === null ? 'unknown, as nothing was scored' : passAt1.toFixed(3);
    say(`pass@1 is ${found}: below --fail-under ${failUnder}.`);
  }
}
