import { posixQuote } from '../../core/text/posix-quote.js';
import { shell } from '../../core/text/shell.js';
import { defineTool } from './define-tool.js';
import { interrupted, outputText } from './output-text.js';
import { isFresh, sessionFolder, startFolder, terminalParameters } from './session.js';

const DEFAULT_TIMEOUT_SEC = 120;
const OUTPUT_LIMIT_BYTES = 1_000_000;
/** Linux takes no argument over 128 KB; a longer command travels by stdin. */
const MAX_ARGUMENT_BYTES = 60_000;

/** Keeps the session alive when a command has broken PATH. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Runs at the end of a command, however it ends: keeps directory and exported variables. Options
 * that the command may have set (trace, errexit, noclobber) must not disturb it, so `set` comes first.
 * It ends with the command's status and without `exit`, after which the in-memory shell forgets what happened.
 */
function saveScript(folder: string): string {
  return shell`_lr_rc=$?
set +aeuxC
if [ -z "\${_lr_done:-}" ]; then
_lr_done=1
{ [ -d ${folder}/new ] || PATH="${SYSTEM_PATH}" mkdir -p ${folder}/new; } && pwd >| ${folder}/new/cwd && export -p >| ${folder}/new/env &&
PATH="${SYSTEM_PATH}" mv -f ${folder}/new/cwd ${folder}/new/env ${folder}
fi
(exit $_lr_rc)`;
}

/** Goes on where the last command stopped. Holds no single quote: it is an argument itself. */
function resumeScript(folder: string, fresh: boolean): string {
  if (fresh)
    return shell`mkdir -p ${folder} 2>/dev/null && rm -f ${folder}/cwd ${folder}/env && pwd >| ${folder}/base`;
  return shell`_lr_d=/
for _lr_f in ${folder}/base ${folder}/cwd; do if [ -f "$_lr_f" ]; then IFS= read -r _lr_d < "$_lr_f"; fi; done
# shellcheck disable=SC1091
if [ -f ${folder}/env ]; then . ${folder}/env; fi
if ! cd "$_lr_d" 2>/dev/null; then
echo "[the working directory $_lr_d is gone]"
if [ -f ${folder}/base ]; then IFS= read -r _lr_d < ${folder}/base; fi
cd "$_lr_d" 2>/dev/null || cd /
fi
unset _lr_d _lr_f`;
}

/** The dot keeps line ends that `$(…)` would drop. */
const READ_COMMAND = shell`_lr_c=$(cat; echo .); _lr_c=\${_lr_c%.}`;

/** The command runs by `eval` in the very shell whose state is kept; `exit` reaches the trap. */
function sessionScript(folder: string, fresh: boolean, byStdin: boolean): string {
  return shell`_lr_c=$1; _lr_h=$2; set --
${byStdin ? READ_COMMAND : ''}
${resumeScript(folder, fresh)}
# shellcheck disable=SC2064
trap "{ $_lr_h
} 2>/dev/null" EXIT
eval "$_lr_c"
{ eval "$_lr_h"; } 2>/dev/null`;
}

export const terminal = defineTool({
  name: 'terminal',
  description:
    'Runs a shell command in the sandbox and answers its output and exit status. The working directory and exported variables are kept between calls. Commands cannot ask questions: there is no terminal behind stdin. Start servers in the background with & and send their output to a file.',
  parameters: terminalParameters,
  plan(args, context) {
    const folder = sessionFolder(context.user);
    const byStdin = Buffer.byteLength(args.command) > MAX_ARGUMENT_BYTES;
    // Already in bash (also where sh is bash) nothing else has to start.
    const script = shell`_lr_run='${sessionScript(folder, isFresh(context), byStdin)}'
set -- ${byStdin ? "''" : posixQuote(args.command)} '${saveScript(folder)}'
if [ -z "\${BASH_VERSION:-}" ] && command -v bash >/dev/null 2>&1; then exec bash -c "$_lr_run" bash "$@"; fi
eval "$_lr_run"`;
    const timeoutMs = Math.min((args.timeout_sec ?? DEFAULT_TIMEOUT_SEC) * 1000, context.remainingMs);
    return {
      kind: 'effect',
      request: {
        script,
        ...startFolder(context),
        env: {},
        timeoutMs,
        outputLimitBytes: OUTPUT_LIMIT_BYTES,
        stdin: byStdin ? Buffer.from(args.command) : null,
      },
      note: null,
    };
  },
  finish(result) {
    const cut = interrupted(result);
    if (cut) return cut;
    const text = outputText(result.output).replace(/\n$/, '');
    if (result.exitCode === 0)
      return { content: text === '' ? '(no output)' : text, success: true, error: null };
    const status = `[exit status ${result.exitCode}]`;
    return { content: text === '' ? status : `${text}\n${status}`, success: false, error: 'failed' };
  },
});
