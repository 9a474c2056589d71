/** At most `maxLines` lines, from the head and the tail, with a line that says how many are left out. */
export function boundLines(lines: readonly string[], maxLines: number): string[] {
  if (lines.length <= maxLines) return [...lines];
  const head = Math.ceil((maxLines - 1) / 2);
  const tail = maxLines - 1 - head;
  const omitted = lines.length - head - tail;
  return [
    ...lines.slice(0, head),
    `… ${omitted} lines left out …`,
    ...(tail === 0 ? [] : lines.slice(-tail)),
  ];
}
