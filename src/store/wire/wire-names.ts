/** `costUsd` → `cost_usd`, `passAt1` → `pass_at_1`, but `sha256` stays: only a lone last digit is a word. */
export function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]|(?<=[a-z])[0-9]$/g, (part) => `_${part.toLowerCase()}`);
}
