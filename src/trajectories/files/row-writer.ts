import { LongrunError } from '../../core/errors.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type {
  ExportContext,
  ExportedRows,
  ExportFormat,
  ExportRow,
  Refusal,
  Survey,
} from '../../formats/export-format.js';
import { Float } from '../../formats/python-json.js';
import type { RowOutput } from './output.js';

export interface ExportCounts {
  episodes: number;
  /** Rows written, in all files. */
  written: number;
  /** Episodes that the format cannot carry, or must not, by code. */
  refused: Record<string, number>;
  /** The first reason of each code, with the episode. */
  reasons: Record<string, string>;
  warnings: number;
}

/** Writes what a format makes of episodes, and counts. */
export class RowWriter {
  readonly counts: ExportCounts = { episodes: 0, written: 0, refused: {}, reasons: {}, warnings: 0 };
  private readonly documents = new Set<string | null>();

  constructor(
    private readonly format: ExportFormat,
    private readonly output: RowOutput,
    private readonly survey: Survey | null,
    private readonly context: ExportContext,
    private readonly onWarning?: (message: string) => void,
  ) {}

  /** One episode, or a whole group. */
  async write(episodes: readonly Episode[]): Promise<void> {
    const { counts } = this;
    const { rows, refused, warnings = [] } = this.rowsOf(episodes);
    for (const row of rows) await this.row(row);
    for (const refusal of refused) this.refuse(refusal);
    for (const { sessionId, message } of warnings) this.onWarning?.(`${sessionId}: ${message}`);
    counts.warnings += warnings.length;
    counts.episodes += episodes.length;
  }

  /** An episode that breaks a rule of its own record stops no others. */
  private rowsOf(episodes: readonly Episode[]): ExportedRows {
    try {
      return (this.survey ?? this.format).rows(episodes, this.context);
    } catch (error) {
      if (!LongrunError.is(error)) throw error;
      const { code, message: reason } = error;
      return { rows: [], refused: episodes.map(({ sessionId }) => ({ sessionId, code, reason })) };
    }
  }

  private async row({ file, value }: ExportRow): Promise<void> {
    if (this.format.layout === 'document') return this.document(file, value);
    this.counts.written += 1;
    await this.output.beside(file).row(value);
  }

  private async document(file: string | null, value: unknown): Promise<void> {
    if (this.documents.has(file)) {
      const reason = 'a trajectory of the same name was written';
      return this.refuse({ sessionId: String(file), code: 'same_name', reason });
    }
    this.documents.add(file);
    this.counts.written += 1;
    await this.output.beside(file).append(`${JSON.stringify(value, plainNumbers, 2)}\n`);
  }

  private refuse({ code, sessionId, reason }: Refusal): void {
    const { refused, reasons } = this.counts;
    refused[code] = (refused[code] ?? 0) + 1;
    reasons[code] ??= `${sessionId}: ${reason}`;
  }
}

const plainNumbers = (_key: string, value: unknown): unknown =>
  value instanceof Float ? value.value : value;
