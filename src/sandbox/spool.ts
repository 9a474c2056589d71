/** Spools of root's commands: root's alone (0700), so that nobody else can list, make or write anything in it. */
export const SPOOL_DIRECTORY = '/.longrun';

/** Holds a folder for each other user, which that user's first command makes and closes to everybody else. */
export const USER_SPOOLS_DIRECTORY = '/.longrun-users';

/** Where the commands of a user keep their files. `user` as an engine takes it: `name`, `uid`, `name:group`, empty for root. */
export function spoolFolder(user: string): string {
  return isRoot(user) ? SPOOL_DIRECTORY : `${USER_SPOOLS_DIRECTORY}/${Buffer.from(user).toString('hex')}`;
}

/** Whether a user as an engine takes it is root. One that is root by another name only has a folder of its own. */
export const isRoot = (user: string): boolean => /^(root|0)?(:|$)/.test(user);
