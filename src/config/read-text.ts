import type { SettingKind } from './setting-table.js';

/**
 * Turns the text of a flag or an environment variable into what the schema expects.
 * Text that does not fit is handed on as it is: the schema then refuses it, by name.
 */
export function readText(kind: SettingKind, text: string): unknown {
  switch (kind) {
    case 'integer':
    case 'number':
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : text;
    case 'boolean':
      return readBoolean(text);
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'map':
      return readJson(text);
    case 'text':
      return text;
  }
}

function readBoolean(text: string): unknown {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  return text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
