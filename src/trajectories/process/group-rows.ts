import { LongrunError } from '../../core/errors.js';
import { rolloutId } from '../../core/ids.js';
import { effectiveReward } from '../../core/trajectory/effective-reward.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ExportContext, ExportedRows, ExportFormat, ExportRow } from '../../formats/export-format.js';
import { Float, pythonJsonPieces } from '../../formats/python-json.js';
import { FAILED_FILE } from '../../formats/sharegpt/sharegpt.js';
import { UNPARSED_KEY } from '../../formats/sharegpt/unparsed-arguments.js';
import { type GroupRecord, groupRecordSchema } from '../../store/records/group.schema.js';
import { toWire } from '../../store/wire/wire.js';
import { type RuleOptions, type SampleRule, sampleRules } from './sample-rules.js';

export const GROUPS_FILE = 'groups.jsonl';
export const REJECTED_FILE = 'rejected.jsonl';

export interface RowOptions extends RuleOptions {
  formats: readonly ExportFormat[];
  keepZeroVariance: boolean;
}

/** A closed group with its rollouts; `problem`: why it goes to no trainer although it is valid, null = nothing. */
export interface ClosedGroup {
  record: GroupRecord;
  episodes: readonly Episode[];
  problem: { rule: string; reason: string } | null;
}

/** Something that became no row of a format, and why. `rollout_id` null: the whole group. */
export interface RejectedRow {
  group_id: string;
  rollout_id: string | null;
  format: string;
  rule: string;
  reason: string;
}

/** Every file that groups may add to. */
export function filesOf(formats: readonly ExportFormat[]): string[] {
  const files = formats
    .filter(({ layout }) => layout === 'lines')
    .flatMap(({ name }) => ['', '.traj', '.meta'].map((part) => `${name}${part}.jsonl`));
  return [GROUPS_FILE, REJECTED_FILE, FAILED_FILE, ...files];
}

/** The rows of groups in every format, and what became none: text by name of file. */
export class GroupRows {
  private readonly formats: { format: ExportFormat; rules: readonly SampleRule[] }[];
  private readonly context: ExportContext;

  constructor(private readonly options: RowOptions) {
    const { keepZeroVariance } = options;
    this.formats = options.formats.map((format) => ({ format, rules: sampleRules(format.name, options) }));
    this.context = {
      tools: [],
      rewardOf: ({ rewards }) => effectiveReward(rewards),
      options: { keepZeroVariance, merged: true },
    };
  }

  of(groups: readonly ClosedGroup[]): { lines: ReadonlyMap<string, Lines>; documents: Map<string, string> } {
    const written = new Written();
    for (const group of groups) {
      written.line(GROUPS_FILE, JSON.stringify(toWire(groupRecordSchema, group.record, 'the group')));
      for (const { format, rules } of this.formats) {
        if (format.unit === 'group') this.addGroup(group, format, written);
        else for (const episode of group.episodes) this.addEpisode(group, episode, format, rules, written);
      }
    }
    return written;
  }

  /** Trainers get whole groups or nothing of them. */
  private addGroup(group: ClosedGroup, format: ExportFormat, written: Written): void {
    const { record, episodes } = group;
    const problem = group.problem ?? groupProblem(record, this.options.keepZeroVariance);
    if (problem !== null) written.reject(record, null, format, problem);
    else this.add(group, episodes, format, written);
  }

  private addEpisode(
    group: ClosedGroup,
    episode: Episode,
    format: ExportFormat,
    rules: readonly SampleRule[],
    written: Written,
  ): void {
    for (const { name, check } of rules) {
      const reason = check(episode);
      if (reason === null) continue;
      written.reject(group.record, episode, format, { rule: name, reason });
      return;
    }
    this.add(group, [episode], format, written);
  }

  private add(
    group: ClosedGroup,
    episodes: readonly Episode[],
    format: ExportFormat,
    written: Written,
  ): void {
    const { rows, refused } = rowsOf(
      format,
      episodes.map((episode) => plainFields(episode, format)),
      this.context,
    );
    for (const row of rows) written.row(format, row);
    for (const { sessionId, code, reason } of refused) {
      const episode = episodes.find((one) => one.sessionId === sessionId) ?? null;
      written.reject(group.record, episode, format, { rule: code, reason });
    }
  }
}

function groupProblem(
  { valid, reason, zeroVariance, mean }: GroupRecord,
  keepZeroVariance: boolean,
): ClosedGroup['problem'] {
  if (!valid) return { rule: 'invalid', reason: reason ?? 'the group is not valid' };
  if (!zeroVariance || keepZeroVariance) return null;
  return { rule: 'zero_variance', reason: `all its scored rollouts have the reward ${mean}` };
}

/** An episode that breaks a rule of its own record stops no others. */
function rowsOf(format: ExportFormat, episodes: readonly Episode[], context: ExportContext): ExportedRows {
  try {
    return format.rows(episodes, context);
  } catch (error) {
    if (!LongrunError.is(error)) throw error;
    const { code, message: reason } = error;
    return { rows: [], refused: episodes.map(({ sessionId }) => ({ sessionId, code, reason })) };
  }
}

/** In tables for `datasets` the same columns in every row: a file that only grows cannot have new ones later. */
function plainFields(episode: Episode, { name }: ExportFormat): Episode {
  if (name !== 'sharegpt' && name !== 'messages') return episode;
  return { ...episode, metadata: { rollout_id: idOf(episode) ?? '', group_id: episode.groupId ?? '' } };
}

/** The texts of arguments that are no JSON have their column in every row too. */
function withUnparsed(value: unknown): unknown {
  const row = value as { metadata: Record<string, unknown> };
  return { ...row, metadata: { ...row.metadata, [UNPARSED_KEY]: row.metadata[UNPARSED_KEY] ?? '' } };
}

function idOf({ rollout }: Episode): string | null {
  return rollout === null ? null : rolloutId(rollout);
}

/** Lines of one file, whose text is made as they are written. */
class Lines {
  readonly texts: Iterable<string>[] = [];

  *[Symbol.iterator](): Generator<string> {
    for (const text of this.texts) {
      yield* text;
      yield '\n';
    }
  }
}

/** Text on its way, by file. */
class Written {
  readonly lines = new Map<string, Lines>();
  readonly documents = new Map<string, string>();

  line(file: string, text: string): void {
    this.linesOf(file).texts.push([text]);
  }

  private linesOf(file: string): Lines {
    const lines = this.lines.get(file) ?? new Lines();
    this.lines.set(file, lines);
    return lines;
  }

  row({ name, layout }: ExportFormat, { file, value }: ExportRow): void {
    if (layout === 'document')
      return void this.documents.set(`${name}/${file}`, `${JSON.stringify(value, plainNumbers, 2)}\n`);
    const own = file === null || file.startsWith('.');
    const row = name === 'sharegpt' ? withUnparsed(value) : value;
    this.linesOf(own ? `${name}${file ?? '.jsonl'}` : file).texts.push({
      [Symbol.iterator]: () => pythonJsonPieces(row),
    });
  }

  reject(
    { groupId }: GroupRecord,
    episode: Episode | null,
    { name }: ExportFormat,
    { rule, reason }: { rule: string; reason: string },
  ): void {
    const rollout_id = episode === null ? null : idOf(episode);
    const row: RejectedRow = { group_id: groupId, rollout_id, format: name, rule, reason };
    this.line(REJECTED_FILE, JSON.stringify(row));
  }
}

const plainNumbers = (_key: string, value: unknown): unknown =>
  value instanceof Float ? value.value : value;
