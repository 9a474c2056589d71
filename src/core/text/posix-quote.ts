/** One word for a POSIX shell, whatever it holds (but NUL, which no argument can hold). */
export function posixQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
