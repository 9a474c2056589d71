import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { installedPython } from '../../scripts/setup/peers-folder.mjs';
import { asChild, type Child } from '../support/child.js';
import { missingPeers } from './support/python.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/tinker/', import.meta.url));

/** What the fake of Tinker's service was sent. */
export interface FakeReport {
  calls: Record<string, number>;
  seen: Record<'steps' | 'datums' | 'tokens' | 'trained_tokens' | 'with_provenance', number>;
  models: Record<string, { base_model: string; rank: number; steps: number }>;
  refusals: string[];
}

/** The FAKE of Tinker's service in examples/tinker, which speaks the wire format of the installed SDK. */
export async function fakeTinker(): Promise<{ baseUrl: string; report(): Promise<FakeReport> }> {
  const child = example('fake_server.py', []);
  const { base_url: baseUrl } = JSON.parse(await child.line());
  return { baseUrl, report: async () => (await (await fetch(`${baseUrl}/fake`)).json()) as FakeReport };
}

/** `examples/tinker/train.py` with the official SDK, which takes the fake for the service. */
export function trainer(folder: string, baseUrl: string, ...args: string[]): Child {
  return example('train.py', [folder, ...args], { TINKER_BASE_URL: baseUrl, TINKER_API_KEY: 'tml-fake' });
}

/** Reads what a trainer prints until a line that says so. */
export async function event(child: Child, name: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = JSON.parse(await child.line());
    if (line.event === name) return line;
  }
}

function example(script: string, args: readonly string[], env: Record<string, string> = {}): Child {
  const python = installedPython();
  if (python === null) throw new Error(missingPeers() ?? '');
  const { PYTHONPATH: _path, PYTHONHOME: _home, ...own } = process.env;
  const started = spawn(python, [script, ...args], {
    cwd: EXAMPLE,
    env: { ...own, ...env, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', TINKER_TELEMETRY: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const child = asChild(started, script);
  onTestFinished(() => child.kill());
  return child;
}
