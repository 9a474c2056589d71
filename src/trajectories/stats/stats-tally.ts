import { answerTokens } from '../../core/reward/part-values.js';
import { answersOf, toolCallsOf } from '../../core/reward/tool-calls.js';
import { RunningMoments } from '../../core/statistics/running-moments.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { momentsOf } from './moments-of.js';
import { RewardTally, type RewardTallyOptions } from './reward-tally.js';
import type { StatsReport } from './stats-report.schema.js';

type Tool = StatsReport['tools'][number];

/** Statistics of a stream of episodes, one looked at a time. */
export class StatsTally {
  private rows = 0;
  private completed = 0;
  private compressed = 0;
  private readonly stopReasons = new Map<string, number>();
  private readonly sources = new Map<string, number>();
  private readonly turns = new RunningMoments();
  private readonly answerTokens = new RunningMoments();
  private answersTotal = 0;
  private promptsTotal = 0;
  private countedRows = 0;
  private readonly tools = new Map<string, Tool>();
  private readonly reasoning = { answers: 0, withReasoning: 0, rowsWithAny: 0, rowsWithAll: 0 };
  private readonly rewards: RewardTally;

  constructor(options: RewardTallyOptions) {
    this.rewards = new RewardTally(options);
  }

  add(episode: Episode): void {
    const { outcome, source, compressed } = episode;
    this.rows += 1;
    if (outcome.completed) this.completed += 1;
    if (compressed !== null && compressed.summarisedTurns !== null) this.compressed += 1;
    bump(this.stopReasons, outcome.stopReason ?? 'unknown');
    bump(this.sources, source);
    this.addTokens(episode);
    this.addReasoning(episode);
    for (const { name, success } of toolCallsOf(episode)) this.addCall(name, success);
    this.rewards.add(episode);
  }

  report(): StatsReport {
    const tools = [...this.tools.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
    const succeeded = tools.reduce((sum, { success }) => sum + success, 0);
    const known = tools.reduce((sum, { success, failure }) => sum + success + failure, 0);
    const { answers, withReasoning } = this.reasoning;
    return {
      rows: this.rows,
      completed: this.completed,
      compressed: this.compressed,
      stopReasons: sorted(this.stopReasons),
      sources: sorted(this.sources),
      turns: momentsOf(this.turns),
      tokens: {
        answers: momentsOf(this.answerTokens),
        answersTotal: this.answersTotal,
        countedRows: this.countedRows,
        promptsTotal: this.promptsTotal,
      },
      tools,
      toolSuccess: known === 0 ? null : succeeded / known,
      reasoning: { ...this.reasoning, share: answers === 0 ? null : withReasoning / answers },
      rewards: this.rewards.report(),
    };
  }

  private addTokens(episode: Episode): void {
    const { tokens, counted } = answerTokens(episode);
    this.turns.add(answersOf(episode).length);
    this.answerTokens.add(tokens);
    this.answersTotal += tokens;
    this.promptsTotal += episode.turns.reduce((sum, { usage }) => sum + (usage?.promptTokens ?? 0), 0);
    if (counted) this.countedRows += 1;
  }

  private addReasoning(episode: Episode): void {
    const answers = answersOf(episode);
    const thought = answers.filter(({ reasoning }) => reasoning !== null && reasoning.trim() !== '').length;
    this.reasoning.answers += answers.length;
    this.reasoning.withReasoning += thought;
    if (thought > 0) this.reasoning.rowsWithAny += 1;
    if (thought > 0 && thought === answers.length) this.reasoning.rowsWithAll += 1;
  }

  private addCall(name: string, success: boolean | null): void {
    const tool = this.tools.get(name) ?? { name, calls: 0, success: 0, failure: 0, unknown: 0 };
    tool.calls += 1;
    tool[success === null ? 'unknown' : success ? 'success' : 'failure'] += 1;
    this.tools.set(name, tool);
  }
}

const bump = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const sorted = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
