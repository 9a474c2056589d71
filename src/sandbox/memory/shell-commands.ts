import { randomBytes } from 'node:crypto';
import type { CustomCommand, FsStat, ResolvedCommandContext } from 'just-bash';
import type { JustBash } from './just-bash.js';

type Answer = {
  stdout: string;
  stderr: string;
  exitCode: number;
  stdoutKind?: 'text' | 'bytes';
  stdoutEncoding?: 'binary';
};
type Run = (args: string[], ctx: ResolvedCommandContext) => Promise<Answer> | Answer;

/** The worker's own memory holds what a command of this sandbox reads. */
const MOST_DEVICE_BYTES = 64 * 1024 * 1024;

/** Says that each character of `stdout` is one byte. */
const AS_BYTES = { stdoutKind: 'bytes', stdoutEncoding: 'binary' } as const;
const ok = (stdout = ''): Answer => ({ stdout, stderr: '', exitCode: 0 });
const failed = (stderr: string, exitCode = 1): Answer => ({ stdout: '', stderr: `${stderr}\n`, exitCode });

/** Commands that task scripts use and the interpreter lacks. There is one user, root. */
const COMMANDS: Record<string, Run> = {
  whoami: () => ok('root\n'),
  id: (args) => {
    if (args.length === 0) return ok('uid=0(root) gid=0(root) groups=0(root)\n');
    return ok(args.some((arg) => arg.startsWith('-') && arg.includes('n')) ? 'root\n' : '0\n');
  },
  chown: () => ok(),
  chgrp: () => ok(),
  umask: (args) => ok(args.length === 0 ? '0022\n' : ''),
  ulimit: () => ok('unlimited\n'),
  sync: () => ok(),
  nproc: () => ok('1\n'),
  uname: (args) => ok(args.includes('-a') ? 'Linux sandbox 6.0 in-memory GNU/Linux\n' : 'Linux\n'),
  kill: (args) => failed(`kill: (${args.at(-1) ?? ''}) - No such process`),
  realpath: async (args, ctx) => {
    const names = args.filter((arg) => !arg.startsWith('-'));
    const paths = names.map((name) => ctx.fs.resolvePath(ctx.cwd, name));
    const real = paths.map((path) => ctx.fs.realpath(path).catch(() => path));
    return ok((await Promise.all(real)).map((path) => `${path}\n`).join(''));
  },
  mktemp: async (args, ctx) => {
    const template = args.find((arg) => arg.includes('XXX')) ?? '/tmp/tmp.XXXXXXXXXX';
    const path = ctx.fs.resolvePath(ctx.cwd, withRandomEnd(template));
    if (args.some((arg) => /^-[a-z]*d/.test(arg))) await ctx.fs.mkdir(path, { recursive: true });
    else await ctx.fs.writeFile(path, '');
    return ok(`${path}\n`);
  },
  cmp: async (args, ctx) => {
    const names = args.filter((arg) => !arg.startsWith('-'));
    const read = (name: string) => ctx.fs.readFileBuffer(ctx.fs.resolvePath(ctx.cwd, name)).catch(() => null);
    const [first, second] = await Promise.all([read(names[0] ?? ''), read(names[1] ?? '')]);
    if (!first || !second) return failed(`cmp: ${first ? names[1] : names[0]}: No such file or directory`, 2);
    if (Buffer.from(first).equals(second)) return ok();
    return args.includes('-s') ? failed('', 1) : { ...ok(`${names[0]} ${names[1]} differ\n`), exitCode: 1 };
  },
  printf: async (args, ctx) => {
    if (ctx.origCommand === undefined || args[0] === '-v')
      return ctx.origCommand?.(args) ?? failed('printf: no format');
    // Octal escapes are bytes and not characters: text goes in as its UTF-8 bytes, one character each.
    // An argument that says --help is marked, or the command would print its help instead.
    const bytes = args.map((arg) =>
      Buffer.from(arg)
        .toString('latin1')
        .replace(/^--help$/, '\u{10000}--help'),
    );
    const answer = await ctx.origCommand(bytes);
    const stdout = answer.stdout.replaceAll('\u{10000}', '');
    return /[^\0-\xff]/.test(stdout) ? { ...answer, stdout } : { ...answer, stdout, ...AS_BYTES };
  },
  head: async (args, ctx) => {
    const count = /^-c ?(\d+)$/.exec(args.slice(0, -1).join(' '))?.[1];
    const device = /^\/dev\/(zero|u?random)$/.exec(args.at(-1) ?? '')?.[1];
    if (count === undefined || device === undefined)
      return ctx.origCommand?.(args) ?? failed('head: no file');
    if (Number(count) > MOST_DEVICE_BYTES) return failed('head: memory exhausted');
    const bytes = device === 'zero' ? Buffer.alloc(Number(count)) : randomBytes(Number(count));
    return { ...ok(bytes.toString('latin1')), ...AS_BYTES };
  },
  nohup: (args, ctx) => passOn(args, ctx),
  setsid: (args, ctx) => passOn(args, ctx),
  stat: async (args, ctx) => {
    const at = args.findIndex((arg) => /^(-c|--format=?|--printf=?)/.test(arg));
    const inline = /^(?:--format=|--printf=|-c)(.+)$/.exec(args[at] ?? '')?.[1];
    const format = inline ?? args[at + 1];
    const original = ctx.origCommand;
    if (at < 0 || format === undefined) return original ? original(args) : failed('stat: missing operand');
    const rest = args.slice(at + (inline === undefined ? 2 : 1));
    const names = [...args.slice(0, at), ...rest].filter((arg) => !arg.startsWith('-'));
    return statFiles(names, format, args.includes('-L'), ctx);
  },
};

/** The interpreter's custom commands; `onExitTrap` is told of each `trap … EXIT`, with the shell it is set in. */
export function shellCommands(justBash: JustBash, onExitTrap: Run): CustomCommand[] {
  const trap: Run = (args, ctx) => {
    const signals = args.slice(1);
    return signals.some((signal) => /^(EXIT|0)$/.test(signal)) ? onExitTrap(args, ctx) : ok();
  };
  return Object.entries({ ...COMMANDS, trap }).map(([name, run]) =>
    justBash.defineCommand(name, async (args, ctx) => run(args, ctx)),
  );
}

async function passOn(args: string[], ctx: ResolvedCommandContext): Promise<Answer> {
  const words = args.filter((arg, index) => index > 0 || !arg.startsWith('-'));
  if (words.length === 0 || ctx.exec === undefined) return failed('missing command', 125);
  return ctx.exec(words[0] as string, { cwd: ctx.cwd, args: words.slice(1) });
}

async function statFiles(names: string[], format: string, follow: boolean, ctx: ResolvedCommandContext) {
  let stdout = '';
  for (const name of names) {
    const path = ctx.fs.resolvePath(ctx.cwd, name);
    const stat = await (follow ? ctx.fs.stat(path) : ctx.fs.lstat(path)).catch(() => null);
    if (stat === null) return failed(`stat: cannot statx '${name}': No such file or directory`);
    stdout += `${format.replace(/%([a-zA-Z])/g, (whole, letter) => statField(letter, name, stat) ?? whole)}\n`;
  }
  return ok(stdout);
}

function statField(letter: string, name: string, stat: FsStat): string | null {
  const type = stat.isSymbolicLink ? 'symbolic link' : stat.isDirectory ? 'directory' : 'regular file';
  const fields: Record<string, string> = {
    n: name,
    s: String(stat.size),
    a: (stat.mode & 0o7777).toString(8),
    Y: String(Math.floor(stat.mtime.getTime() / 1000)),
    y: stat.mtime.toISOString().replace('T', ' ').replace('Z', '000000 +0000'),
    F: type === 'regular file' && stat.size === 0 ? 'regular empty file' : type,
    U: 'root',
    G: 'root',
    u: '0',
    g: '0',
    h: '1',
  };
  return fields[letter] ?? null;
}

/** A template of mktemp, with something random in the place of its last Xs. */
function withRandomEnd(template: string): string {
  const end = template.lastIndexOf('X') + 1;
  let start = end;
  while (template[start - 1] === 'X') start -= 1;
  const random = Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return template.slice(0, start) + random + template.slice(end);
}
