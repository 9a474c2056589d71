import { release } from 'node:os';
import { EXEC_SERVER } from './exec-server.js';
import { LOCAL_FOLDER, type RootFolder } from './root-folder.js';
import { socketFilter } from './socket-filter.js';

/** What one sandbox may write, in megabytes, when the task does not say. */
const DEFAULT_STORAGE_MB = 2_048;
/** Of the root, kept back for the verifier: an agent that fills its disk is still scored. */
const RESERVE_MB = 4;
const SHARED_MEMORY_MB = 256;
const MAX_PROCESSES = 1_024;

/** Numbers of setsid, prctl, memfd_create and prlimit64: the exec server calls them without a library. */
const SYSTEM_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [112, 157, 319, 302],
  arm64: [157, 167, 279, 261],
};

const ISOLATION = [
  ['--unshare-user', '--uid', '0', '--gid', '0'],
  ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
  ['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--as-pid-1'],
  ['--cap-drop', 'ALL', '--clearenv'],
].flat();

/** The command line of one sandbox; null on a processor whose system calls are not known. */
export function bwrapArguments(root: RootFolder, storageMb: number | null): string[] | null {
  const calls = SYSTEM_CALLS[process.arch];
  const filter = socketFilter();
  if (calls === undefined || filter === null) return null;
  const size = (mb: number) => ['--size', String(mb * 1024 * 1024)];
  const megabytes = storageMb ?? DEFAULT_STORAGE_MB;
  return [
    ...ISOLATION,
    ...[...size(megabytes + RESERVE_MB), '--tmpfs', '/'],
    ...root.mounts,
    ...(root.mountPoints.includes(LOCAL_FOLDER) ? [...size(megabytes), '--tmpfs', LOCAL_FOLDER] : []),
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      ...size(SHARED_MEMORY_MB),
      '--tmpfs',
      '/dev/shm',
      '--remount-ro',
      '/dev',
    ],
    ...[
      '--chdir',
      '/',
      '--',
      '/usr/bin/perl',
      '-e',
      EXEC_SERVER,
      ...calls.map(String),
      String(maxProcesses()),
      String(RESERVE_MB),
      filter.toString('hex'),
    ],
  ];
}

/** Before 5.14 the kernel counts a user's processes over all its sandboxes and its desktop: no limit there. */
function maxProcesses(): number {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14) ? MAX_PROCESSES : 0;
}
