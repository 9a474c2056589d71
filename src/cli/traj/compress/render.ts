import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import { count, dollars } from '../../../report/quantities.js';
import type { CompressReport } from '../../../trajectories/compress/compress-episodes.js';
import type { PaidSummary } from '../../../trajectories/compress/model-summariser.js';

export interface CompressDone {
  report: CompressReport;
  files: readonly string[];
  output: string;
  /** Lines that could not be read. */
  broken: number;
  /** Summaries that were asked for now. */
  paid: readonly PaidSummary[];
}

/** `traj compress` for people. */
export function renderCompress({ report, files, broken, paid }: CompressDone): string[] {
  const { read, unchanged, compressed, kept, failed, stillOverLimit } = report;
  const lines = [
    `Read ${read}: ${compressed} compressed, ${unchanged} within the target as they were.`,
    compressed > 0 &&
      `Compressed rows: ${count(report.tokensBefore)} tokens before, ${count(report.tokensAfter)} after.`,
    kept > 0 && `${kept} left as they were: nothing in them may go.`,
    failed > 0 && `${failed} left as they were, because their summary failed: compressed.failed says why.`,
    stillOverLimit > 0 && `${stillOverLimit} still over the target, marked still_over_limit.`,
    broken > 0 && `${broken} lines could not be read.`,
    paid.length > 0 && `${paid.length} summaries were asked for, ${dollars(costOf(paid))}.`,
    ...files.map((file) => `Wrote ${file}`),
  ];
  return lines.filter((line) => line !== false).map(escapeTerminalLine);
}

export function compressDocument({ report, files, output, broken, paid }: CompressDone): unknown {
  const { read, unchanged, compressed, kept, failed, stillOverLimit, tokensBefore, tokensAfter } = report;
  const sum = (pick: (summary: PaidSummary) => number): number =>
    paid.reduce((all, one) => all + pick(one), 0);
  return {
    output,
    files,
    ...{ read, unchanged, compressed, kept, failed },
    still_over_limit: stillOverLimit,
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    broken_lines: broken,
    summaries: {
      asked: paid.length,
      prompt_tokens: sum((summary) => summary.promptTokens),
      completion_tokens: sum((summary) => summary.completionTokens),
      cost_usd: costOf(paid),
    },
  };
}

/** Null where the price of one is not known. */
function costOf(paid: readonly PaidSummary[]): number | null {
  return paid.reduce<number | null>(
    (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
    0,
  );
}
