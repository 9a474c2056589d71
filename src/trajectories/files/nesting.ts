/** Far more than any record has, far less than what overflows the stack of whoever walks it. */
export const MAX_NESTING = 500;

/** Whether a JSON value has more levels than this. */
export function isNestedDeeper(value: unknown, levels: number = MAX_NESTING): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isNestedDeeper(member, levels - 1));
}
