import { append } from '../../../core/lists/append.js';
import type { TarEntry } from '../../../sandbox/tar-entries.js';

/** As many links as the kernel follows for one path (path_resolution(7)). */
const MOST_LINKS = 40;
/** Components walked for all links together; artifacts that need more were made to take long. */
const MOST_STEPS = 20_000_000;

/** Where the kernel would end that follows a path through the tree. */
export type PathEnd =
  | { at: 'member'; path: string }
  /** At a place in a folder of the artifacts where there is nothing. */
  | { at: 'missing'; path: string }
  /** Somewhere that no artifact has a say over; `path` as far as it was followed. */
  | { at: 'outside'; path: string }
  /** Below what is no folder, back from where there is nothing, or in a circle. */
  | { at: 'nowhere' };

/** Thrown where links take too long to follow. */
export class TooManySteps extends Error {}

/**
 * The artifacts as they will lie in the verifier's sandbox. Every path is there once, below folders only, so that no
 * member can be reached by two ways or be written through a link. Paths are relative to the root.
 */
export class ArtifactTree {
  private readonly members = new Map<string, TarEntry>();
  /** The folders that lead to the artifacts: of the sandbox, not of the agent. */
  private readonly leading = new Set<string>();
  private steps = 0;

  constructor(sources: readonly string[]) {
    for (const source of sources)
      for (let at = parentOf(source.slice(1)); at !== ''; at = parentOf(at)) this.leading.add(at);
  }

  get(path: string): TarEntry | undefined {
    return this.members.get(path);
  }

  remove(path: string): void {
    this.members.delete(path);
  }

  replace(member: TarEntry): void {
    this.members.set(member.path, member);
  }

  all(): TarEntry[] {
    return [...this.members.values()];
  }

  /** False where the place is taken by another member, or lies below one that is no folder. */
  add(member: TarEntry): boolean {
    const there = this.members.get(member.path);
    if (there !== undefined) return there.type === 'directory' && member.type === 'directory';
    if (member.type !== 'directory' && this.leading.has(member.path)) return false;
    if (!this.makeParents(parentOf(member.path))) return false;
    this.members.set(member.path, member);
    return true;
  }

  /** Follows what a link says, component by component. */
  follow(link: TarEntry): PathEnd {
    const todo = componentsOf(link.target);
    let at = link.target.startsWith('/') ? '' : parentOf(link.path);
    let links = 1;
    while (todo.length > 0) {
      this.steps += 1;
      if (this.steps > MOST_STEPS) throw new TooManySteps();
      const here = this.members.get(at);
      // Not even a dot leads on from what is no folder.
      if (here !== undefined && here.type !== 'directory') return { at: 'nowhere' };
      const name = todo.pop() as string;
      if (name === '.') continue;
      if (name === '..') {
        at = parentOf(at);
        continue;
      }
      const path = at === '' ? name : `${at}/${name}`;
      const member = this.members.get(path);
      if (member?.type === 'symlink') {
        links += 1;
        if (links > MOST_LINKS) return { at: 'nowhere' };
        append(todo, componentsOf(member.target));
        if (member.target.startsWith('/')) at = '';
      } else if (member !== undefined || this.leading.has(path)) at = path;
      else return this.endBefore(path, todo.reverse());
    }
    return this.members.has(at) ? { at: 'member', path: at } : { at: 'outside', path: `/${at}` };
  }

  /** There is nothing at `path`, and `rest` was still to be followed. */
  private endBefore(path: string, rest: readonly string[]): PathEnd {
    const whole = [path, ...rest].join('/');
    if (!this.members.has(parentOf(path))) return { at: 'outside', path: `/${whole}` };
    // The tests may make what is missing, and from there it would lead on.
    return rest.includes('..') ? { at: 'nowhere' } : { at: 'missing', path: whole };
  }

  private makeParents(path: string): boolean {
    const missing: string[] = [];
    for (let at = path; at !== ''; at = parentOf(at)) {
      const there = this.members.get(at);
      if (there?.type === 'directory') break;
      if (there !== undefined) return false;
      if (!this.leading.has(at)) missing.push(at);
    }
    for (const folder of missing.reverse()) this.members.set(folder, folderAt(folder));
    return true;
  }
}

/** The folder that holds a path; the root for what lies in it. */
export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}

/** In reverse, the last one first. A slash at the end asks for a folder, as a dot does. */
function componentsOf(target: string): string[] {
  const parts = target.split('/').filter((part) => part !== '');
  if (target.endsWith('/')) parts.push('.');
  return parts.reverse();
}

function folderAt(path: string): TarEntry {
  return { path, type: 'directory', mode: 0o755, mtime: new Date(0), content: new Uint8Array(), target: '' };
}
