import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ArtifactStore, openStore } from '../../src/store/index.js';

/** A state folder that is gone when the test is. */
export async function tempStateDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longrun-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function tempStore(): Promise<ArtifactStore> {
  return openStore(await tempStateDir());
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null): string | null => value && new TextDecoder().decode(value);
