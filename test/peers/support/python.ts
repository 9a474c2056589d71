import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installedPython, wantedPythons } from '../../../scripts/setup/peers-folder.mjs';

/** Where the programs are. */
export const PEERS = fileURLToPath(new URL('../', import.meta.url));
const LIMIT_MS = 100_000;

export interface PeerAnswer {
  /** 0: the peer accepts it; null: it was killed, or did not answer in time. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Why no peer can be asked here, in one sentence; null when they can. */
export function missingPeers(): string | null {
  if (installedPython() !== null) return null;
  const versions = wantedPythons().join(' or ');
  return `There is no Python environment for the peers; \`npm test\` makes it, which takes Python ${versions}, or set LONGRUN_SKIP_TIERS=peers`;
}

/**
 * Runs a Python program of test/peers (`agoge.py`) with the packages of requirements.txt, offline, and answers how
 * it ended. `input` becomes its standard input, where it is given. Write the program beside its test: it exits with
 * 0 for what the peer accepts and otherwise lets the peer's exception end it (exit code 1, the reason on stderr). A
 * program that writes beside itself gets another folder to work in.
 */
export async function runPeer(
  script: string,
  args: readonly string[] = [],
  input: string | Uint8Array = '',
  cwd = PEERS,
): Promise<PeerAnswer> {
  const python = installedPython();
  if (python === null) throw new Error(missingPeers() ?? '');
  const child = spawn(python, [script, ...args], { cwd, env: peerEnvironment(), timeout: LIMIT_MS });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  }) as [() => string, () => string];
  // A program that does not read its input to the end closes the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

/** Nothing is fetched, nothing of the user's own Python is used, and no byte code is written beside the programs. */
export function peerEnvironment(): NodeJS.ProcessEnv {
  const { PYTHONPATH: _path, PYTHONHOME: _home, ...env } = process.env;
  return {
    ...env,
    HF_HUB_OFFLINE: '1',
    HF_DATASETS_OFFLINE: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
  };
}
