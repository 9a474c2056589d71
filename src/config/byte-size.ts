const MIB = 1024 * 1024;
const UNITS: Record<string, number> = { m: MIB, g: 1024 * MIB, t: 1024 * 1024 * MIB };

/** `500m`, `20g`, `1t` or `0`, as the settings accept it, in bytes; null stays null. */
export function byteSize(text: string | null): number | null {
  if (text === null) return null;
  return Number.parseInt(text, 10) * (UNITS[text.at(-1) ?? ''] ?? 1);
}
