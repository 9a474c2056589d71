/** Finds whichever of some texts comes next; of those that begin alike, the first that is given. */
export function anyOf(texts: Iterable<string>, flags: 'g' | 'gi'): RegExp {
  const escaped = [...texts].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Not proved linear: made of plain texts, it repeats nothing.
  return new RegExp(escaped.join('|'), flags);
}
