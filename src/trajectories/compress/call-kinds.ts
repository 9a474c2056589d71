import type { Call } from './turns.js';

/** Tools that run a shell command, by the names that harnesses give them. */
const SHELL_TOOL =
  /^(terminal|bash|sh|shell|cmd|exec|execute|run)$|^(shell|bash|terminal|execute|run|exec)[_-]/i;
const COMMAND_FIELDS = ['command', 'cmd', 'script', 'code'];

const WRITING_TOOL = /write|edit|patch|replace|insert|append|create|delete|remove|rename|move|apply|save/i;
/** Lists of the agent's own, not work on the task. */
const BOOKKEEPING_TOOL = /todo|plan|think|memory/i;
/** Editors with one tool for all: `{"command":"view"}` changes nothing. */
const READING_COMMAND = /^(view|read|open|list|search|find)$/i;
const PATH_FIELDS = ['path', 'file_path', 'filename', 'file', 'target_file', 'filepath'];

/** A redirection into a file, but not of errors alone or to a device. */
const REDIRECTION = /(?:^|[^0-9&>=-])1?>>?\|?\s*(?!&|\/dev\/)[^\s&|;<>()]/;
const WRITING_COMMAND =
  /(?:^|[;&|(]\s*|\bsudo\s+|\bxargs\s+)(?:(?:tee|mv|cp|rm|mkdir|touch|chmod|chown|ln|install|patch|dd|truncate|rsync|unzip)\b|sed\s+(?:-\S{1,99}\s{1,9}){0,9}-i|sed\s+--in-place\b|perl\s+-\S{0,99}i|tar\s+-?\S{0,99}x|git\s+(?:apply|am|commit|checkout|merge|revert|reset|rm|mv|stash|cherry-pick|clone)\b|(?:pip3?|npm|pnpm|yarn|apt|apt-get|cargo|go|gem|poetry|uv)\s+(?:-\S{1,99}\s{1,9}){0,9}(?:install|add|remove|uninstall|i|get|sync)\b)/m;
const TEST_COMMAND =
  /\b(?:pytest|py\.test|unittest|tox|nox|vitest|jest|mocha|ava|rspec|phpunit|ctest|bats)\b|\b(?:npm|pnpm|yarn|cargo|go|dotnet|mvn|mix|bun|deno|swift|dart|flutter|zig|sbt)\s+(?:run\s+)?test|\bmake\s+(?:-\S{1,99}\s{1,9}){0,9}(?:test|check)|\bgradlew?\s+(?:\S{1,99}\s{1,9}){0,9}test\b|\b(?:ba)?sh\s+\S{0,200}test|tests?\.(?:sh|py|js)\b/;
const TESTING_TOOL = /(^|[_-])(run[_-]?)?tests?($|[_-])/i;

/** Programs given on the command line that write files. */
const WRITING_PROGRAM = /\bopen\([^)\n]{1,200}['"][wax]b?\+?['"]|\.write_(text|bytes)\(|\bwriteFile(Sync)?\(/;
/** What is looked at of a command. */
const LOOKED_AT_CHARS = 20_000;

/** The shell command of a call; null for calls of other tools. */
export function commandOf(call: Call): string | null {
  if (!SHELL_TOOL.test(call.name)) return null;
  return textField(call, COMMAND_FIELDS)?.slice(0, LOOKED_AT_CHARS) ?? null;
}

/** Whether the call was meant to change something: a file, a package, a repository. */
export function isWrite(call: Call): boolean {
  const command = commandOf(call);
  if (command !== null) {
    const plain = withoutQuotes(command);
    return REDIRECTION.test(plain) || WRITING_COMMAND.test(plain) || WRITING_PROGRAM.test(command);
  }
  if (BOOKKEEPING_TOOL.test(call.name) || !WRITING_TOOL.test(call.name)) return false;
  return !READING_COMMAND.test(textField(call, ['command']) ?? '');
}

export function isTestRun(call: Call): boolean {
  const command = commandOf(call);
  return command === null ? TESTING_TOOL.test(call.name) : TEST_COMMAND.test(command);
}

/** What a call is about: a later success with the same subject is the fix of an earlier failure. */
export function subjectOf(call: Call): string {
  const command = commandOf(call);
  if (command !== null) return isTestRun(call) ? 'test' : `$ ${firstWords(command)}`;
  return `${call.name} ${textField(call, PATH_FIELDS) ?? ''}`;
}

function textField(call: Call, names: readonly string[]): string | null {
  const found = names.map((name) => call.arguments?.[name]).find((value) => typeof value === 'string');
  return (found as string | undefined) ?? null;
}

/** A `>` inside quotes is text: `awk '$1 > 2'`. */
function withoutQuotes(command: string): string {
  // Behind a quote that nothing closes no other of its kind is closed either.
  return command.replace(/'[^']*'|"(?:[^"\\]|\\[\s\S])*("?)/g, (quoted, close) =>
    quoted.startsWith("'") || close !== '' ? '""' : quoted.replace(/'[^']*'/g, '""'),
  );
}

/** The program and its first argument, after `cd` and variables: `python main.py`. */
function firstWords(command: string): string {
  const bare = command.replace(/^(\s*cd\s+\S+\s*(&&|;)\s*)+/, '').replace(/^(\s*\w+=\S*\s+)+/, '');
  return bare.trim().split(/\s+/).slice(0, 2).join(' ');
}
