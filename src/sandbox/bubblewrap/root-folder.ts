import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TarEntry } from '../tar-entries.js';

/** Where the read-only part of a sandbox comes from: the host, or a folder that holds a root file system. */
export interface RootFolder {
  /** Host path, '/' for the host itself. */
  path: string;
  /** bwrap arguments that put the programs in place, read-only. */
  mounts: string[];
  /** Paths inside that are mounts: neither written nor compared. */
  mountPoints: string[];
  /** A shell that cannot be replaced from inside: `/bin` is a link that can. */
  shell: string;
  /** Links that bwrap makes (`/bin` to `usr/bin`). */
  links: TarEntry[];
}

/** Below the read-only /usr, a folder that can be written, for what tasks install. */
export const LOCAL_FOLDER = '/usr/local';

const PROGRAM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
/** Of the host's /etc: what programs need to run, nothing that says who uses the machine. */
const SHARED_ETC = ['alternatives', 'ld.so.conf.d', 'terminfo', 'perl', 'python3', 'fonts'];
const COPIED_ETC =
  'os-release debian_version issue ld.so.cache ld.so.conf profile bash.bashrc inputrc shells protocols services';

const ROOT = 'root:x:0:0:root:/root:/bin/bash';
const NOBODY = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
const WRITTEN_ETC: Record<string, string> = {
  passwd: `${ROOT}\n${NOBODY}\n`,
  group: 'root:x:0:\nnogroup:x:65534:\n',
  hostname: 'sandbox\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'resolv.conf': '',
  issue: 'sandbox\n',
};
const EMPTY_FOLDERS =
  'home opt srv mnt media run var var/lib var/log var/cache usr/local/bin usr/local/lib usr/local/share';

/** Finds out how `path` lays out its programs (merged /usr or not). */
export async function readRootFolder(path: string): Promise<RootFolder> {
  const mounts = ['--ro-bind', join(path, 'usr'), '/usr'];
  const links: TarEntry[] = [];
  const merged = await lstat(join(path, 'usr/bin/sh')).catch(() => null);
  const shell = merged === null ? '/bin/sh' : '/usr/bin/sh';
  const mountPoints = ['/usr', '/proc', '/dev', '/dev/shm'];
  if (await lstat(join(path, LOCAL_FOLDER)).catch(() => null)) mountPoints.push(LOCAL_FOLDER);
  for (const name of PROGRAM_FOLDERS) {
    const stat = await lstat(join(path, name)).catch(() => null);
    if (stat?.isSymbolicLink()) {
      const target = await readlink(join(path, name));
      mounts.push('--symlink', target, `/${name}`);
      links.push(link(`/${name}`, target));
    } else if (stat?.isDirectory()) {
      mounts.push('--ro-bind', join(path, name), `/${name}`);
      mountPoints.push(`/${name}`);
    }
  }
  if (path !== '/') return { path, mounts, mountPoints, shell, links };
  const present = new Set(await readdir('/etc'));
  for (const name of SHARED_ETC.filter((shared) => present.has(shared))) {
    mounts.push('--ro-bind', `/etc/${name}`, `/etc/${name}`);
    mountPoints.push(`/etc/${name}`);
  }
  return { path, mounts, mountPoints, shell, links };
}

/** The writable part of a sandbox with the host's programs: an /etc of its own and empty folders. */
export async function hostEntries(): Promise<TarEntry[]> {
  const entries = ['etc', ...EMPTY_FOLDERS.split(' ')].map((path) => folder(`/${path}`, 0o755));
  entries.push(
    folder('/tmp', 0o1777),
    folder('/var/tmp', 0o1777),
    folder('/root', 0o700),
    link('/var/run', '/run'),
  );
  const files = new Map(Object.entries(WRITTEN_ETC).map(([name, text]) => [name, Buffer.from(text)]));
  for (const name of COPIED_ETC.split(' ')) {
    const content = await readFile(`/etc/${name}`).catch(() => null);
    if (content !== null) files.set(name, content);
  }
  for (const [name, content] of files) {
    entries.push({
      path: `/etc/${name}`,
      type: 'file',
      mode: 0o644,
      mtime: new Date(0),
      content,
      target: '',
    });
  }
  return entries;
}

function link(path: string, target: string): TarEntry {
  return { path, type: 'symlink', mode: 0o777, mtime: new Date(0), content: new Uint8Array(), target };
}

function folder(path: string, mode: number): TarEntry {
  return { path, type: 'directory', mode, mtime: new Date(0), content: new Uint8Array(), target: '' };
}
