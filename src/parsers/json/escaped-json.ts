/** What every mark of a format and every reasoning tag begins with. */
const MARK_STARTS = [
  /<(?=\/?(?:think|thought|reasoning|tool_call|longcat_tool_call|function=|minimax:))/gi,
  /<(?=\s?[|｜‖])/g,
  /\[(?=\/?(?:TOOL_CALLS|THINK)\])/gi,
  /◁/g,
];

/** JSON in which none of `marks` occurs, so that readers that look for them first are not misled: marks within texts are written with `\u` escapes. */
export function escapedJson(value: unknown, marks: readonly string[]): string {
  let json = JSON.stringify(value);
  for (const mark of marks) json = json.replaceAll(mark, `${escaped(mark)}${mark.slice(1)}`);
  return json;
}

/** JSON that can stand without marks around it: none within its texts is taken for one. */
export function unmarkedJson(value: unknown): string {
  return MARK_STARTS.reduce((json, start) => json.replace(start, escaped), JSON.stringify(value));
}

function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
