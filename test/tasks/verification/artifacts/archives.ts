import { type Header, pack } from 'tar-stream';
import { tarMembers } from '../../../../src/sandbox/tar-entries.js';
import { LeftOut } from '../../../../src/tasks/verification/artifacts/left-out.js';
import { siftArtifacts } from '../../../../src/tasks/verification/artifacts/sift-artifacts.js';

/** A member as a hostile program would write it, in whatever order and with whatever name. */
export type Written = Partial<Header> & { name: string; data?: string };

export async function archiveOf(members: readonly Written[]): Promise<Uint8Array> {
  const writer = pack();
  const chunks: Uint8Array[] = [];
  writer.on('data', (chunk) => chunks.push(chunk as Uint8Array));
  for (const { data, ...header } of members)
    await new Promise((resolve) => writer.entry(header as Header, data ?? '', resolve));
  writer.finalize();
  await new Promise<void>((resolve) => writer.once('end', () => resolve()));
  return Buffer.concat(chunks);
}

export const file = (name: string, data = 'x'): Written => ({ name, data });
export const folder = (name: string): Written => ({ name: `${name}/`, type: 'directory' });
export const link = (name: string, linkname: string): Written => ({ name, type: 'symlink', linkname });
export const hard = (name: string, linkname: string): Written => ({ name, type: 'link', linkname });

export interface Passed {
  /** What goes to the verifier, `path` or `path -> target`, sorted. */
  members: string[];
  leftOut: string[];
}

/** What becomes of one archive per artifact. */
export async function sift(
  artifacts: Readonly<Record<string, readonly Written[]>>,
  exclude: readonly string[] = [],
): Promise<Passed> {
  const archives = await Promise.all(
    Object.entries(artifacts).map(async ([source, members]) => ({
      source,
      exclude,
      tar: await archiveOf(members),
    })),
  );
  const { tar, leftOut, links } = await siftArtifacts({ archives, programs: new Map() });
  return { members: await namesOf(tar), leftOut: [...links.map(lineOf), ...leftOut] };
}

/** As a verdict names it. */
export function lineOf(link: { path: string; target: string }): string {
  const one = new LeftOut();
  one.addLink(link);
  return one.lines().join();
}

export async function namesOf(tar: Uint8Array): Promise<string[]> {
  const names: string[] = [];
  for await (const { header } of tarMembers(tar)) {
    const linked = header.linkname ? ` ${header.type === 'link' ? '=' : '->'} ${header.linkname}` : '';
    names.push(`${header.name.replace(/\/$/, '')}${linked}`);
  }
  return names.sort();
}
