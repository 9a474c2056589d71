import { z } from 'zod';
import { posixQuote } from '../../core/text/posix-quote.js';
import { shell } from '../../core/text/shell.js';
import type { ExecRequest } from '../../sandbox/sandbox.js';
import type { ToolContext } from '../tool.js';

export const terminalParameters = z.object({
  command: z
    .string()
    .min(1)
    .refine((command) => !command.includes('\0'), 'holds a NUL character')
    .describe('Shell command, run by bash where there is one, else by sh'),
  timeout_sec: z
    .number()
    .positive()
    .max(86_400)
    .optional()
    .describe('Seconds until the command and all it started are killed; 120 unless told otherwise'),
});

/** The folder in which the shell's directory and exported variables wait for the next call. */
export const sessionFolder = (user: string | null): string =>
  `/tmp/.longrun-session-${(user ?? 'default').replace(/[^A-Za-z0-9_-]/g, '_')}`;

/** Whether no command has run yet: the session begins in the sandbox's working directory. */
export function isFresh(context: ToolContext): boolean {
  return !context.priorCalls('terminal').some((call) => isCommand(call.arguments));
}

function isCommand(text: string): boolean {
  try {
    return terminalParameters.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/**
 * Where a command starts. Later ones start in `/` and go to the session's directory themselves,
 * because an engine refuses to start anything in a working directory that the agent has removed.
 */
export function startFolder(context: ToolContext): Pick<ExecRequest, 'cwd'> {
  return { cwd: isFresh(context) ? null : '/' };
}

/** Lines that enter the session's directory; where that is gone, the one the session began in. */
export function enterSession(context: ToolContext): string {
  if (isFresh(context)) return '';
  const folder = sessionFolder(context.user);
  const script = shell`
d=/
for f in ${folder}/base ${folder}/cwd; do if [ -f "$f" ]; then IFS= read -r d < "$f"; fi; done
cd "$d" 2>/dev/null || { IFS= read -r d < ${folder}/base && cd "$d"; } 2>/dev/null || cd /`;
  return `${script}\n`;
}

/** Lines that set `p` to a path as the session sees it: `~` opened, never beginning with a dash. */
export function setPath(path: string): string {
  const script = shell`
p=${posixQuote(path)}
# shellcheck disable=SC2088
case "$p" in "~") p=\${HOME:-/root};; "~/"*) p=\${HOME:-/root}/\${p#"~/"};; esac
case "$p" in /*|.) ;; *) p=./$p;; esac`;
  return `${script}\n`;
}

/** A path argument of the file tools. */
export const pathParameter = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes('\0'), 'holds a NUL character');
