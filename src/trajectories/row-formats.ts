import { badInput } from '../core/errors.js';
import { atifFormat } from '../formats/atif/atif-format.js';
import { atroposGroupFormat } from '../formats/atropos-group/atropos-group.js';
import { atroposV1Format } from '../formats/atropos-v1/atropos-v1-format.js';
import { EXPORT_FORMATS, type ExportFormat, type ExportFormatName } from '../formats/export-format.js';
import { messagesFormat } from '../formats/messages/messages.js';
import { shareGptFormat } from '../formats/sharegpt/sharegpt.js';
import { tinkerFormat } from '../formats/tinker/tinker.js';
import { sha256 } from './digest.js';
import { longrunFormat } from './longrun-format.js';

/** Every format that can be written. A new one is added here, and to nothing else. */
export const ROW_FORMATS: readonly ExportFormat[] = [
  longrunFormat,
  shareGptFormat,
  messagesFormat,
  atroposV1Format(sha256),
  atifFormat,
  atroposGroupFormat,
  tinkerFormat,
];

/** `flag`: where the name was given. Errors: `bad_input` for a name that is none of them. */
export function rowFormat(name: string, flag = '--format'): ExportFormat {
  const found = ROW_FORMATS.find((format) => format.name === (name as ExportFormatName));
  if (found) return found;
  const container = flag === '--format' ? ', parquet' : '';
  throw badInput(`${flag}: found "${name}", accepted: ${EXPORT_FORMATS.join(', ')}${container}.`);
}
