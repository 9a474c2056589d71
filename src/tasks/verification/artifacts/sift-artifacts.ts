import { type TarEntry, writeTar } from '../../../sandbox/tar-entries.js';
import { ArtifactTree, TooManySteps } from './artifact-tree.js';
import { LeftOut } from './left-out.js';
import { MOST_MEMBERS } from './limits.js';
import { type ArtifactArchive, readArchive } from './read-archive.js';

/** A program as it is in the agent's sandbox; null where there is none. */
export type Program = Pick<TarEntry, 'content' | 'mode'> | null;

export interface SiftRequest {
  archives: readonly ArtifactArchive[];
  /** By their paths: links to them become copies of them. */
  programs: ReadonlyMap<string, Program>;
}

export interface Sifted {
  /** What goes to the verifier, with paths from the root. */
  tar: Uint8Array;
  /** What was left out because it reaches for something else, or is too much: for people to look at. */
  leftOut: string[];
  /** Links that do not end inside their artifact, and are left out as well unless the image has them: the first few. */
  links: LostLink[];
  /** Programs that links point to and that the request does not have: ask again with them. */
  wanted: string[];
}

/** What a virtual environment links to. */
const PROGRAM = /^\/(usr\/(local\/)?)?s?bin\/[^/]{1,255}$/;

/** `path` is relative to the root, `target` what the link says. */
export type LostLink = Pick<TarEntry, 'path' | 'target'>;

/** More are not asked of an image. */
const MOST_LOST = 64;

interface Link {
  link: TarEntry;
  /** Of the artifact that it is part of. */
  source: string;
}

/**
 * What of an agent's archives may go to a verifier. They may have been made to be anything, so whatever could lead the
 * tests' reads or our writes elsewhere is left out. A link stays where the kernel, following it, would end inside its
 * artifact, at a member or where there is none. Takes time in proportion to what there is.
 */
export async function siftArtifacts({ archives, programs }: SiftRequest): Promise<Sifted> {
  const leftOut = new LeftOut();
  const tree = new ArtifactTree(archives.map(({ source }) => source));
  const links = await fill(tree, archives, leftOut);
  try {
    const wanted = copyPrograms(tree, links, programs);
    if (wanted.length > 0) return { tar: new Uint8Array(), leftOut: [], links: [], wanted };
    const lost = dropLinks(tree, links);
    for (const link of lost.slice(MOST_LOST)) leftOut.addLink(link);
    const tar = await writeTar(inOrder(tree.all()));
    return { tar, leftOut: leftOut.lines(), links: lost.slice(0, MOST_LOST), wanted: [] };
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    leftOut.add('', 'the links of the artifacts take too long to follow');
    return { tar: await writeTar([]), leftOut: leftOut.lines(), links: [], wanted: [] };
  }
}

async function fill(
  tree: ArtifactTree,
  archives: readonly ArtifactArchive[],
  leftOut: LeftOut,
): Promise<Link[]> {
  const links: Link[] = [];
  const taken: string[] = [];
  let left = MOST_MEMBERS;
  for (const archive of archives) {
    const source = archive.source.slice(1);
    const members = await readArchive(archive, left, leftOut);
    left -= members.length;
    for (const member of members) {
      // Artifacts may lie in one another; the first one has brought it.
      const again = tree.get(member.path)?.type === member.type && taken.some((at) => isIn(member.path, at));
      if (again) continue;
      if (!tree.add(member)) leftOut.add(member.path, 'something else is in its place');
      else if (member.type === 'symlink') links.push({ link: member, source });
    }
    taken.push(source);
  }
  return links;
}

/**
 * The agent could as well have copied them. The verifier gets them as the agent had them: there, the same path may be
 * another program, or what the tests have put there.
 */
function copyPrograms(
  tree: ArtifactTree,
  links: readonly Link[],
  programs: SiftRequest['programs'],
): string[] {
  const wanted = new Set<string>();
  const copies = new Map<string, string>();
  for (const { link } of links) {
    if (!PROGRAM.test(link.target)) continue;
    const end = tree.follow(link);
    if (end.at !== 'outside' || end.path !== link.target) continue;
    const program = programs.get(end.path);
    const copy = copies.get(end.path);
    if (program === undefined) wanted.add(end.path);
    else if (copy !== undefined) tree.replace({ ...link, type: 'link', target: copy });
    else if (program !== null) {
      copies.set(end.path, link.path);
      tree.replace({ ...link, ...program, type: 'file', target: '' });
    }
  }
  return [...wanted];
}

/** Again until none goes: one that leads through another is worth as much as that. */
function dropLinks(tree: ArtifactTree, links: readonly Link[]): LostLink[] {
  const lost: LostLink[] = [];
  let left = links.filter(({ link }) => tree.get(link.path)?.type === 'symlink');
  for (;;) {
    const dropped = left.filter(({ link, source }) => {
      const end = tree.follow(link);
      return (end.at !== 'member' && end.at !== 'missing') || !isIn(end.path, source);
    });
    if (dropped.length === 0) return lost;
    for (const { link } of dropped) {
      tree.remove(link.path);
      lost.push({ path: link.path, target: link.target });
    }
    left = left.filter(({ link }) => tree.get(link.path) !== undefined);
  }
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Links last, so that nothing could be written through one. */
function inOrder(members: readonly TarEntry[]): TarEntry[] {
  return (['directory', 'file', 'link', 'symlink'] as const).flatMap((type) =>
    members.filter((member) => member.type === type),
  );
}
