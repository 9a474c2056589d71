import type { RawCall } from '../call-format.js';
import { repairOf } from '../json/repair-words.js';
import { type RepairedName, repairName } from '../name-repair.js';
import type { ParsedToolCall, ParseOptions } from '../parse-result.js';

/** Gives the calls of one text their ids and, where they nearly are a tool's, their names. */
export class CallFinisher {
  readonly notices: string[] = [];
  private readonly known: string[];
  private readonly ids = new Set<string>();
  /** Names that occurred: a text calls the same few tools again and again. */
  private readonly repaired = new Map<string, RepairedName | null>();
  private count = 0;

  constructor(private readonly options: Pick<ParseOptions, 'tools' | 'repairNames' | 'newId'>) {
    this.known = (options.tools ?? []).map(({ name }) => name);
  }

  finish(call: RawCall): ParsedToolCall {
    const { name, repairs } = this.named(call);
    return {
      id: this.nextId(),
      nativeId: call.nativeId,
      name,
      arguments: call.arguments,
      repairs,
      raw: call.raw,
    };
  }

  private named(call: RawCall): Pick<RawCall, 'name' | 'repairs'> {
    if (this.known.length === 0 || this.known.includes(call.name)) return call;
    const found = this.repair(call.name);
    if (found === null) {
      this.notices.push(`there is no tool ${JSON.stringify(call.name.slice(0, 100))}`);
      return call;
    }
    const how = found.near ? 'the name was nearly that of a tool' : 'the name was spelled differently';
    const repair = repairOf('name', `${how}: ${JSON.stringify(call.name)} became ${found.name}`);
    return { name: found.name, repairs: [...call.repairs, repair] };
  }

  private repair(name: string): RepairedName | null {
    const { repairNames = true } = this.options;
    if (!repairNames) return null;
    const before = this.repaired.get(name);
    if (before !== undefined) return before;
    const found = repairName(name, this.known);
    this.repaired.set(name, found);
    return found;
  }

  /** An id that is given out twice would mix up results. */
  private nextId(): string {
    const index = this.count++;
    let id = this.options.newId?.(index) ?? `call_${index}`;
    while (this.ids.has(id)) id += '_';
    this.ids.add(id);
    return id;
  }
}
