import { homedir } from 'node:os';
import { join } from 'node:path';
import { announce, line, Stop, seconds } from './report.mjs';
import { ROOT } from './root.mjs';
import { lastLines, run, which } from './run.mjs';

const VERSION = '1.5.1';
const PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;
const GO_FOLDERS = ['/usr/local/go/bin', join(homedir(), 'sdk', 'go', 'bin')];

/** Finds the program that holds the Temporal server as the CLI does, or builds it with Go. */
export async function provideTemporal({ check }) {
  if (process.env.TEMPORAL_ADDRESS)
    return line('temporal', `server at ${process.env.TEMPORAL_ADDRESS} (not checked)`);
  const { findServerBinary } = await import(join(ROOT, 'dist/src/temporal/server-binary.js'));
  const found = await findServerBinary().catch((error) => error);
  if (!(found instanceof Error)) return report(found);
  const go = which('go', GO_FOLDERS);
  if (check || go === null || process.env.LONGRUN_TEMPORAL_BINARY) {
    throw new Stop(`${found.message}. ${found.hint}`);
  }
  announce('temporal', `${found.message}: building it with \`go install ${PACKAGE}\`, about five minutes`);
  const started = Date.now();
  // Without the version the program would call itself 0.0.0-DEV.
  const flags = `-s -w -X github.com/temporalio/cli/temporalcli.Version=${VERSION}`;
  const built = await run(go, ['install', '-ldflags', flags, PACKAGE], { env: { CGO_ENABLED: '0' } });
  if (!built.ok) {
    throw new Stop(`Building the Temporal server failed:\n${lastLines(built.output)}\n${found.hint}`);
  }
  line('temporal', `built in ${seconds(started)}`);
  report(await findServerBinary());
}

function report({ path, serverVersion, foundBy }) {
  line('temporal', `server ${serverVersion}, ${path} (by ${foundBy})`);
}
