import { createHash } from 'node:crypto';
import type { ArtifactStore } from '../../store/store.js';
import type { ScoredItem } from './scored-data.js';

const ID_CHARACTERS = 32;
const NEWLINE = 0x0a;
const CONSUMED = new Uint8Array();

/** How a batch is marked in each of its items. `n` counts the deliveries of the item, from 1. */
export interface DeliveryMark {
  batch: number;
  n: number;
}

/** The JSON of an item, in the two parts in which it lies in the store. */
export interface StoredItem {
  groupOverrides: string;
  rest: Buffer;
}

/**
 * The contents of queued items, each under an id that is the same whenever the same group is posted. What has been
 * acknowledged stays as an empty value, so that it is known when it is posted once more.
 */
export class ItemStore {
  constructor(
    private readonly store: ArtifactStore,
    private readonly prefix: string,
  ) {}

  /** What became of it: it is new, it lies there (queued, or its poster died before that), or it is consumed. */
  async put(id: string, item: ScoredItem): Promise<'new' | 'there' | 'consumed'> {
    // The first line is all that changes with a delivery: the rest is handed out as it lies here.
    const bytes = Buffer.from(`${item.groupOverrides}\n${item.rest}`);
    if (await this.store.putIfAbsent(this.key(id), bytes)) return 'new';
    return (await this.store.get(this.key(id)))?.length === 0 ? 'consumed' : 'there';
  }

  /** Null for one that was consumed or dropped. */
  async read(id: string): Promise<StoredItem | null> {
    const bytes = await this.store.get(this.key(id));
    if (bytes === null || bytes.length === 0) return null;
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = whole.indexOf(NEWLINE);
    return { groupOverrides: whole.toString('utf8', 0, end), rest: whole.subarray(end + 1) };
  }

  async consume(id: string): Promise<void> {
    await this.store.put(this.key(id), CONSUMED, 'process');
  }

  async drop(id: string): Promise<void> {
    await this.store.remove(this.key(id));
  }

  private key(id: string): string {
    return `${this.prefix}/items/${id.slice(0, 2)}/${id}.json`;
  }
}

/** `group_overrides` with the mark of a delivery. */
export function marked(overrides: string, { batch, n }: DeliveryMark): string {
  const delivery = `"delivery": {"batch": ${batch}, "n": ${n}}`;
  const inner = overrides === 'null' ? '' : withoutMark(overrides).slice(1, -1).trim();
  return inner === '' ? `{${delivery}}` : `{${inner}, ${delivery}}`;
}

/** What a producer that marks its own repeats says of them goes by another name. */
function withoutMark(overrides: string): string {
  if (!overrides.includes('"delivery"')) return overrides;
  const { delivery, ...rest } = JSON.parse(overrides) as Record<string, unknown>;
  return delivery === undefined ? overrides : JSON.stringify({ ...rest, posted: delivery });
}

/** An item as it is handed out: `rest` ends in a brace, and the overrides go before that. */
export const itemJson = ({ rest, groupOverrides }: StoredItem): Buffer =>
  Buffer.concat([rest.subarray(0, rest.length - 1), Buffer.from(`, "group_overrides": ${groupOverrides}}`)]);

/**
 * The id of an item: by its group's id and its number in it, where it has one, within the environment that posts;
 * else by its content.
 */
export function itemId(item: ScoredItem, environment: string): string {
  const identity =
    item.groupId === null
      ? ['content', environment, item.groupOverrides, item.rest]
      : ['group', environment, item.groupId, String(item.itemOfGroup)];
  const hash = createHash('sha256');
  for (const part of identity) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex').slice(0, ID_CHARACTERS);
}
