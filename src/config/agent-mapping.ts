import { isMap, isScalar, type Node, type YAMLMap } from 'yaml';
import { badInput } from '../core/errors.js';
import { closest } from '../core/text/closest.js';
import type { FileValue } from './file-value.js';
import type { SettingName } from './settings.schema.js';

/** What `agent:` may hold in the file when it is a mapping; elsewhere it is the name alone. */
const KEYS: Readonly<Record<string, SettingName>> = {
  name: 'agent',
  kind: 'agent',
  save_trajectories: 'saveTrajectories',
};

export const isAgentMapping = (key: string, value: Node | null): value is YAMLMap<Node, Node | null> =>
  key === 'agent' && isMap(value);

/** The settings in an `agent:` mapping. Throws `bad_input` naming a key that is none of its own, or given twice. */
export function agentSettings(
  mapping: YAMLMap<Node, Node | null>,
  at: (offset: number) => string,
): Map<SettingName, FileValue> {
  const found = new Map<SettingName, FileValue>();
  for (const { key, value } of mapping.items) {
    const place = at(key.range?.[0] ?? 0);
    const text = isScalar(key) ? String(key.value) : '';
    const name = Object.hasOwn(KEYS, text) ? KEYS[text] : undefined;
    if (name === undefined) throw unknownKey(text, place);
    if (found.has(name))
      throw badInput(`${place}: the agent is named twice.`, 'Give name or kind, not both.');
    found.set(name, {
      value: isScalar(value) ? value.value : null,
      place: at(value?.range?.[0] ?? key.range?.[0] ?? 0),
    });
  }
  return found;
}

function unknownKey(key: string, place: string): Error {
  const meant = closest(key, Object.keys(KEYS));
  return badInput(
    `${place}: unknown setting "agent.${key}".`,
    meant ? `Did you mean "${meant}"?` : `Accepted are: ${Object.keys(KEYS).join(', ')}.`,
  );
}
