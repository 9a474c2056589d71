import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export type GoProgramName = 'versitygw' | 'temporal-server' | 'temporal-sql-tool';

/** Where a server is that the set-up builds for tests; throws with what to do. */
export function goProgram(name: GoProgramName): string {
  const program = programOf(name);
  const path = find(program);
  if (path === null) throw new Error(missing(program));
  return path;
}

/** Which of them is not there, in one sentence; null when all are. */
export function missingPrograms(names: readonly GoProgramName[]): string | null {
  const absent = names.map(programOf).find((program) => find(program) === null);
  return absent === undefined ? null : missing(absent);
}

const missing = (program: string): string =>
  `There is no ${program}; \`npm test\` builds it, which takes Go, or set LONGRUN_SKIP_TIERS=store,topology`;

/** With its version, as the set-up names it. */
function programOf(name: GoProgramName): string {
  const file = new URL('../../scripts/setup/go-programs.json', import.meta.url);
  const listed: { program: string }[] = JSON.parse(readFileSync(file, 'utf8'));
  const entry = listed.find(({ program }) => program.startsWith(`${name}-`));
  if (entry === undefined) throw new Error(`${file.pathname} has no ${name}`);
  return entry.program;
}

function find(program: string): string | null {
  const { PATH = '', GOBIN = '', GOPATH = '' } = process.env;
  const goFolders = GOPATH.split(delimiter).map((folder) => folder && join(folder, 'bin'));
  const folders = [...PATH.split(delimiter), GOBIN, ...goFolders, join(homedir(), 'go', 'bin')];
  for (const folder of folders.filter((name) => name !== '')) {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return join(folder, program);
    } catch {
      // Not here.
    }
  }
  return null;
}
