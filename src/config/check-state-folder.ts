import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { badInput, type LongrunError } from '../core/errors.js';
import { posixQuote } from '../core/text/posix-quote.js';

const ROOT = 0;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;
const ANYBODY_WRITES = 0o002;
const STICKY = 0o1000;

/**
 * Refuses a state folder that another user prepared or may write to, as ssh does with its own: locks, records and the
 * addresses of servers in it are believed. Answers warnings. One that is missing is made with mode 0700 later.
 */
export function checkStateFolder(folder: string): string[] {
  const user = process.geteuid?.();
  const link = found(lstatSync, folder);
  const state = found(statSync, folder);
  // What is no folder is refused by whoever opens it.
  if (user === undefined || !link || !state?.isDirectory()) return [];
  const place = link.isSymbolicLink() ? 'the link to the state folder' : 'the state folder';
  if (!isTrusted(link, user)) throw foreign(`${place} ${folder}`, link, user, folder);
  if (!isTrusted(state, user)) throw foreign(`the state folder ${folder}`, state, user, folder);
  if ((state.mode & OTHERS_WRITE) !== 0) throw writable(folder, state);
  return [...readableByOthers(folder, state), ...replaceable(folder)];
}

type Look = (path: string, options: { throwIfNoEntry: false }) => Stats | undefined;

/** Undefined also where this user may not look: whoever opens it says why. */
function found(look: Look, path: string): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Root can do whatever it wants to the folder of anybody. */
const isTrusted = ({ uid }: Stats, user: number): boolean => uid === user || uid === ROOT;

function foreign(what: string, { uid, mode }: Stats, user: number, folder: string): LongrunError {
  const accepted = user === ROOT ? 'uid 0' : `uid ${user} or root`;
  return badInput(
    `${what} belongs to another user: found owner uid ${uid} (mode ${octal(mode)}), accepted: ${accepted}.`,
    `If you trust what is in it: chown -hR ${user} ${word(folder)}. Otherwise choose another with --state-dir.`,
    { path: folder, uid, mode: octal(mode), acceptedUid: user },
  );
}

function writable(folder: string, { uid, mode }: Stats): LongrunError {
  return badInput(
    `other users may write to the state folder ${folder}: found mode ${octal(mode)} (owner uid ${uid}), accepted: one that only its owner may write to, such as 0700.`,
    (mode & STICKY) === 0
      ? `If you trust what is in it: chmod go-w ${word(folder)}. Otherwise choose another with --state-dir.`
      : 'It is a folder that users share: name one of your own below it with --state-dir.',
    { path: folder, uid, mode: octal(mode) },
  );
}

function readableByOthers(folder: string, { mode }: Stats): string[] {
  if ((mode & OTHERS_READ) === 0) return [];
  return [
    `Other users can look into the state folder ${folder} (mode ${octal(mode)}). Keep them out with: chmod 700 ${word(folder)}`,
  ];
}

/** In a folder such as /tmp the sticky bit keeps others from putting their own in its place. */
function replaceable(folder: string): string[] {
  const parent = dirname(folder);
  const mode = found(statSync, parent)?.mode ?? 0;
  if ((mode & ANYBODY_WRITES) === 0 || (mode & STICKY) !== 0) return [];
  return [
    `Other users can replace the state folder ${folder}, as anybody may write to ${parent} (mode ${octal(mode)}). Keep them from it with: chmod +t ${word(parent)}`,
  ];
}

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** A path as one word of a command. */
const word = (path: string): string => (/^[\w/.,:@%+=-]+$/.test(path) ? path : posixQuote(path));
