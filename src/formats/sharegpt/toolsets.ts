/** Which set a tool belongs to, in the batch runner's names; a tool of no set is a set of its own. */
const TOOLSETS: Readonly<Record<string, readonly string[]>> = {
  terminal: ['terminal', 'process'],
  file: ['read_file', 'write_file', 'patch', 'search_files'],
  web: ['web_search', 'web_extract'],
  code_execution: ['execute_code'],
  delegation: ['delegate_task'],
};

/** The sets of these tools, sorted. */
export function toolsetsOf(tools: readonly string[]): string[] {
  const setOf = (tool: string): string =>
    Object.entries(TOOLSETS).find(([, members]) => members.includes(tool))?.[0] ?? tool;
  return [...new Set(tools.map(setOf))].sort();
}
