export interface DottedName {
  name: string;
  /** What was done to it, when it is not as it was written. */
  renamed: string | null;
}

const PREFIX = 'functions.';

/**
 * The tool that `functions.mcp.search` means: without the prefix that says that it is a function, and
 * with its further dots, unless that is no tool's name and its last part is.
 */
export function nameWithoutPrefix(written: string, isKnown: (name: string) => boolean): DottedName {
  const name = written.startsWith(PREFIX) && written !== PREFIX ? written.slice(PREFIX.length) : written;
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (isKnown(name) || last === name || !isKnown(last)) return { name, renamed: null };
  return { name: last, renamed: `"${name}" was taken for "${last}", which is a tool` };
}
