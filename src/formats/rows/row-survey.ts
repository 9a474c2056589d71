import type { Episode } from '../../core/trajectory/episode.schema.js';
import { MetadataColumns } from './metadata-columns.js';
import { ourFields } from './own-fields.js';
import { TypingRows } from './typing-rows.js';

/** What the rows of one export have to agree on, so that `datasets` loads them whatever the mix. */
export class RowSurvey {
  private readonly columns = new MetadataColumns();
  private readonly typing = new TypingRows();

  /** `own`: the row's own fields; `filled`: the other columns in which it has a value that tells their type. */
  see(
    file: string | null,
    index: number,
    own: Readonly<Record<string, unknown>>,
    filled: Iterable<string>,
  ): void {
    this.columns.see(own);
    const named = Object.entries(own).filter(([, value]) => !isEmpty(value));
    this.typing.see(file, index, new Set([...filled, ...named.map(([key]) => `metadata.${key}`)]));
  }

  first(): number[] {
    return this.typing.first();
  }

  /** The `metadata` of a row: the same keys and types in every one. */
  metadata(episode: Episode, own: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { ...ourFields(episode), ...this.ownMetadata(own) };
  }

  ownMetadata(own: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return this.columns.row(own);
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
