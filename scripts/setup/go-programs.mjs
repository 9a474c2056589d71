import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { announce, line, seconds } from './report.mjs';
import { lastLines, run, which } from './run.mjs';

const GO_FOLDERS = ['/usr/local/go/bin', join(homedir(), 'sdk', 'go', 'bin')];

/** The servers of the distributed set-up, from source: only tests start them. Names carry their version. */
export const GO_PROGRAMS = JSON.parse(readFileSync(new URL('./go-programs.json', import.meta.url), 'utf8'));

/** Builds what is missing of them; what cannot be built is said, and the tests that need it fail with the same. */
export async function provideGoPrograms({ check }) {
  for (const entry of GO_PROGRAMS) {
    const found = which(entry.program, [goBin()]);
    if (found !== null) line(entry.name, found);
    else if (check) line(entry.name, `${entry.program} is missing: \`npm test\` builds it`);
    else await build(entry);
  }
}

async function build({ name, program, package: source, duration }) {
  const go = which('go', GO_FOLDERS);
  if (go === null) return line(name, `${program} is missing, and so is Go, which would build it`);
  announce(name, `building it with \`go install ${source}\`, ${duration}`);
  const started = Date.now();
  const target = goBin();
  mkdirSync(target, { recursive: true });
  // Their own names are as general as `server` and `sql`.
  const folder = mkdtempSync(join(target, '.longrun-'));
  try {
    const env = { CGO_ENABLED: '0', GOBIN: folder };
    const { ok, output } = await run(go, ['install', '-ldflags', '-s -w', source], { env });
    if (!ok) return line(name, `could not be built:\n${lastLines(output)}`);
    const [built] = readdirSync(folder);
    renameSync(join(folder, built), join(target, program));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  line(name, `built in ${seconds(started)}`);
}

function goBin() {
  const [first] = (process.env.GOPATH ?? '').split(delimiter);
  return process.env.GOBIN || join(first || join(homedir(), 'go'), 'bin');
}
