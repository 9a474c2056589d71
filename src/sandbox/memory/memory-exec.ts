import type { Bash, ResolvedCommandContext } from 'just-bash';
import { LONGEST_TIMER_MS } from '../../core/time.js';
import { OutputBuffer } from '../output-buffer.js';
import type { ExecRequest, ExecResult } from '../sandbox.js';
import type { JustBash } from './just-bash.js';
import { redirectOutput } from './redirect-output.js';
import type { SandboxFs } from './sandbox-fs.js';
import { shellCommands } from './shell-commands.js';

/** What a command sees around it. */
export interface ExecSurroundings {
  justBash: JustBash;
  fs: SandboxFs;
  execId: string;
  env: Record<string, string>;
  cwd: string;
}

interface ExitTrap {
  handler: string;
  env: Record<string, string>;
  cwd: string;
  replaces: string | undefined;
}

const ABORTED = 124;
const TRAP_VARIABLE = 'LONGRUN_EXIT_TRAP';

/** Runs one command to its end, its timeout or until `signal` aborts; never rejects for what the script does. */
export async function runScript(
  around: ExecSurroundings,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<ExecResult> {
  const startedAt = performance.now();
  const output = new OutputBuffer(request.outputLimitBytes);
  const spool = `/dev/.output-${around.execId}`;
  around.fs.attachSink(spool, (chunk) => output.push(chunk));
  const deadline = AbortSignal.timeout(Math.min(request.timeoutMs, LONGEST_TIMER_MS));
  try {
    const exitCode = await interpret(around, request, AbortSignal.any([signal, deadline]), spool, output);
    const durationMs = performance.now() - startedAt;
    const timedOut = !signal.aborted && exitCode === ABORTED && durationMs >= request.timeoutMs;
    const ended = !signal.aborted && !timedOut;
    return {
      exitCode: ended ? exitCode : null,
      output: output.result(),
      timedOut,
      killed: signal.aborted,
      outcomeUnknown: false,
      durationMs,
    };
  } finally {
    around.fs.detachSink(spool);
  }
}

async function interpret(
  around: ExecSurroundings,
  request: ExecRequest,
  signal: AbortSignal,
  spool: string,
  output: OutputBuffer,
): Promise<number> {
  const traps = new Map<string, ExitTrap>();
  const shell = around.fs.quietly(() => newShell(around, request, traps));
  shell.registerTransformPlugin(redirectOutput(spool));
  const stdin = request.stdin === null ? {} : { stdin: latin1(request.stdin), stdinKind: 'bytes' as const };
  const result = await shell.exec(request.script, { rawScript: true, signal, ...stdin });
  // An interrupted script's last line is the interpreter's own "execution aborted".
  const interrupted =
    result.exitCode === ABORTED && (signal.aborted || /execution (aborted|deadline)/.test(result.stderr));
  if (interrupted) return ABORTED;
  output.push(Buffer.from(result.stdout + result.stderr));
  for (const trap of exitTraps(traps, result.env)) {
    const script = `(exit ${result.exitCode})\n${trap.handler}`;
    const after = await shell.exec(script, { rawScript: true, signal, env: trap.env, cwd: trap.cwd });
    output.push(Buffer.from(after.stdout + after.stderr));
  }
  return result.exitCode;
}

/** One interpreter per command: it costs 0.3 ms, and a parked sandbox then holds its files only. */
function newShell(around: ExecSurroundings, request: ExecRequest, traps: Map<string, ExitTrap>): Bash {
  return new around.justBash.Bash({
    fs: around.fs,
    cwd: around.cwd,
    env: around.env,
    customCommands: shellCommands(around.justBash, (args, ctx) => rememberTrap(traps, args, ctx)),
    processInfo: { pid: 1, ppid: 0, uid: 0, gid: 0 },
    // No guest JavaScript runs here, and its patches of the process's globals would reach the worker.
    defenseInDepth: false,
    executionLimits: {
      maxExecutionTimeMs: request.timeoutMs,
      maxCommandCount: 1_000_000,
      maxLoopIterations: 1_000_000,
    },
  });
}

/**
 * The interpreter has no traps. The handler is kept with the shell's variables; which one is the script's own
 * is told by a shell variable, because those of nested shells do not come back to it.
 */
async function rememberTrap(traps: Map<string, ExitTrap>, args: string[], ctx: ResolvedCommandContext) {
  const replaces = ctx.env.get(TRAP_VARIABLE);
  const handler = args[0] === '-' ? '' : (args[0] as string);
  const id = String(traps.size + 1);
  traps.set(id, { handler, env: Object.fromEntries(ctx.env), cwd: ctx.cwd, replaces });
  await ctx.assignShellVariable?.(TRAP_VARIABLE, id);
  return { stdout: '', stderr: '', exitCode: 0 };
}

/** The handlers to run: those of nested shells, then the script's own with the variables it ended with. */
function exitTraps(traps: Map<string, ExitTrap>, env: Record<string, string>): ExitTrap[] {
  const ownId = env[TRAP_VARIABLE];
  const own = ownId === undefined ? undefined : traps.get(ownId);
  for (let id = ownId; id !== undefined; ) {
    const replaced: string | undefined = traps.get(id)?.replaces;
    traps.delete(id);
    id = replaced;
  }
  const nested = [...traps.values()];
  return own === undefined ? nested : [...nested, { ...own, env, cwd: env.PWD ?? own.cwd }];
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
