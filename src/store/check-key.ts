import { badInput } from '../core/errors.js';

/** Longer names do not fit a directory entry on common file systems. */
const MAX_COMPONENT_BYTES = 200;
// Names that start with a dot are the drivers' own (temporary files), so `.` and `..` go with them.
const COMPONENT = /^[^./\0\\][^/\0\\]*$/;

/** Refuses keys that could leave the store or hide in it: empty, absolute, dotted or over-long components. */
export function checkKey(key: string): void {
  for (const component of key.split('/')) {
    if (!COMPONENT.test(component) || Buffer.byteLength(component) > MAX_COMPONENT_BYTES) {
      throw badInput(
        `not a store key: ${JSON.stringify(key)}`,
        'Each part of a key is 1 to 200 bytes, starts with neither a dot nor a slash, and holds no backslash.',
        { key },
      );
    }
  }
}
