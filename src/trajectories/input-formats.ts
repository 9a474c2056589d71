import { atifImport } from '../formats/atif/read-atif.js';
import { atroposV1Import } from '../formats/atropos-v1/read-atropos-v1.js';
import type { ImportFormat, ImportFormatName, InputRow } from '../formats/import-format.js';
import { messagesReader } from '../formats/messages/messages-reader.js';
import { shareGptReader } from '../formats/sharegpt/sharegpt-reader.js';
import { agogeReader } from './agoge-reader.js';
import { longrunReader } from './longrun-format.js';

/** Every format that can be read, in the order in which a first row is tried against them. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  longrunReader,
  agogeReader,
  atifImport,
  atroposV1Import,
  shareGptReader,
  messagesReader,
];

/** The format that the keys of a first row tell, or null. */
export function detectFormat(row: InputRow): ImportFormat | null {
  return IMPORT_FORMATS.find((format) => format.matches(row)) ?? null;
}

export function importFormat(name: ImportFormatName): ImportFormat | null {
  return IMPORT_FORMATS.find((format) => format.name === name) ?? null;
}
