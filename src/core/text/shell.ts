/**
 * Marks a shell script of ours, which runs in sandboxes: the text as it stands, without the lines around it.
 * `npm run check` reads everything that is marked so with shellcheck; values are put in as plain words.
 */
export function shell(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((text, part, i) => `${text}${values[i - 1] ?? ''}${part}`).trim();
}
