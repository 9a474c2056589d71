import { LongrunError } from '../../core/errors.js';
import type { Artifact, SandboxSpec, Task, TaskStep } from '../../core/rollout/task.schema.js';
import { posixQuote } from '../../core/text/posix-quote.js';
import { shell } from '../../core/text/shell.js';
import { MINUTE_MS } from '../../core/time.js';
import type { ChangedPath, Sandbox } from '../../sandbox/sandbox.js';
import { type TarEntry, writeTar } from '../../sandbox/tar-entries.js';
import type { Verdict } from '../../store/records/records.schema.js';
import { withConvention } from '../harbor/build-artifacts.js';
import { withoutHostValues } from '../host-secrets.js';
import type { HostEnv } from '../passed-env.js';
import { resolveEnv } from '../resolve-env.js';
import type { RewardContext } from '../reward-context.js';
import { collectArtifacts, linksOfImage } from './artifacts/collect-artifacts.js';
import { LeftOut } from './artifacts/left-out.js';
import type { LostLink } from './artifacts/sift-artifacts.js';
import { ARTIFACTS_HINT, noArtifacts, trustedAt, WORKDIR_ARTIFACT } from './isolation-level.js';
import { failed, judge, type Outcome, withoutSecrets } from './judge.js';
import { LEFTOVERS, LOOK_AT_LEFTOVERS, LOOK_AT_SPOOLS } from './leftover-script.js';
import { readSuspicions } from './read-verifier-files.js';
import { placeTests, runTests } from './run-tests.js';
import { suspectTampering } from './suspect-tampering.js';

interface Verification {
  task: Task;
  index: number;
  step: TaskStep;
  context: RewardContext;
  env: Record<string, string>;
  /** Takes what the host gave out of a text. */
  clean(text: string): string;
}

const COLLECT_OUTPUT_BYTES = 8 * 1024;
const TEST_SCRIPT_LIMIT_BYTES = 4 * 1024 * 1024;
/** Without these no test could run. */
const SYSTEM = /^\/(bin|sbin|lib\w*|usr|etc|dev|proc|sys)(\/|$)/;
const NOTHING = new Uint8Array();

/**
 * Scores one step by the task's tests, at the task's isolation level; the agent's commands have
 * ended. A broken verifier is a verdict without a reward. Throws `sandbox_gone`, `fenced` and
 * `cancelled`, which are no verdicts.
 */
export async function verifyByTests(
  task: Task,
  index: number,
  context: RewardContext,
  hostEnv: HostEnv,
): Promise<Verdict> {
  const step = task.evalCriteria.steps[index];
  if (step === undefined) throw new LongrunError('not_found', `task ${task.taskId} has no step ${index}`);
  const startedAt = context.now();
  const { user } = context.agentSandbox;
  const users = { agent: step.agentUser ?? user, verifier: step.verifier.user ?? user };
  const clean = (text: string) => withoutHostValues(text, task, hostEnv);
  let suspectedTampering: string[] = [];
  const outcome = await orInvalid(async () => {
    const env = resolveEnv(step.verifier.env, hostEnv);
    const verification = { task, index, step, context, env, clean };
    if (step.verifier.isolation === 'separate') return verifySeparately(verification);
    suspectedTampering = await takeSuspicions(verification);
    return verifyInPlace(verification);
  });
  const verifiedAt = context.now();
  const { suspicions, ...decided } = withoutSecrets(outcome, clean);
  return {
    schemaVersion: 1,
    step: step.name,
    ...decided,
    isolation: step.verifier.isolation,
    suspectedTampering: [...suspectedTampering, ...suspicions],
    trusted: context.agentActed ? trustedAt(step.verifier.isolation, users) : [],
    durationMs: verifiedAt - startedAt,
    verifiedAt,
  };
}

/** `shared` and `restarted`: in the agent's own sandbox. */
async function verifyInPlace({ step, context, env }: Verification): Promise<Outcome> {
  const sandbox = context.agentSandbox;
  const beforeRestart: string[] = [];
  if (step.verifier.isolation === 'restarted') {
    beforeRestart.push(...(await lookAtLeftovers(context)));
    await context.once('restarted.txt', async () => {
      await context.guard();
      await sandbox.restart();
      return NOTHING;
    });
  }
  const { verifier } = step;
  const run = await runTests({ context, sandbox, verifier, env, placed: false });
  const outcome = await judge(context, sandbox, run);
  return { ...outcome, suspicions: [...beforeRestart, ...run.suspicions, ...outcome.suspicions] };
}

/** A restart ends what looks at the reward; that it was there is told all the same. */
async function lookAtLeftovers(context: RewardContext): Promise<string[]> {
  if (!context.agentActed) return [];
  const { output } = await context.run(context.agentSandbox, 'leftovers', {
    script: [LEFTOVERS, LOOK_AT_LEFTOVERS, LOOK_AT_SPOOLS].join('\n'),
    cwd: '/',
    env: {},
    user: 'root',
    timeoutMs: MINUTE_MS,
    outputLimitBytes: 2 * COLLECT_OUTPUT_BYTES,
    stdin: null,
  });
  return readSuspicions(output.head);
}

/** In a fresh sandbox, with nothing of the agent's but the declared artifacts. */
async function verifySeparately(verification: Verification): Promise<Outcome> {
  const { task, context, env } = verification;
  const step = { ...verification.step, artifacts: await placedArtifacts(verification) };
  const { artifacts, leftOut, links } = await takeArtifacts(context, step);
  const sandbox = await context.separateSandbox(step.verifier.sandbox);
  const ownImage = hasOwnImage(step.verifier.sandbox, task.metadata.sandbox);
  const ofImage = ownImage ? [] : await keptLinks(context, sandbox, links);
  await context.once('artifacts-placed.txt', async () => {
    if (!ownImage) await clearSources(context, sandbox, step);
    await context.guard();
    await sandbox.putArchive('/', artifacts);
    if (ofImage.length > 0) await sandbox.putArchive('/', await writeTar(ofImage.map(linkEntry)));
    return NOTHING;
  });
  const bringsTests = ownImage && (await hasTests(sandbox));
  if (!bringsTests) await placeTests(context, sandbox, step.verifier);
  const run = await runTests({ context, sandbox, verifier: step.verifier, env, placed: true });
  // Nothing of the agent's runs there.
  const lost = new LeftOut();
  const kept = new Set(ofImage.map(({ path }) => path));
  for (const link of links) if (!kept.has(link.path)) lost.addLink(link);
  return { ...(await judge(context, sandbox, run)), suspicions: [...lost.lines(), ...leftOut] };
}

interface Taken {
  artifacts: Uint8Array;
  leftOut: string[];
  links: LostLink[];
}

/** Once, while the agent's sandbox is there; what was left out of them is recorded first. */
async function takeArtifacts(context: RewardContext, step: TaskStep): Promise<Taken> {
  let found: Omit<Taken, 'artifacts'> = { leftOut: [], links: [] };
  const record = () =>
    context.once('artifacts-left-out.json', async () => Buffer.from(JSON.stringify(found)));
  const artifacts = await context.once('artifacts.tar', async () => {
    await runCollect(context, step);
    const { tar, leftOut, links } = await collectArtifacts(
      context.agentSandbox,
      withConvention(step.artifacts),
    );
    found = { leftOut, links };
    await record();
    return tar;
  });
  const recorded = JSON.parse(Buffer.from(await record()).toString('utf8')) as typeof found;
  return { artifacts, ...recorded };
}

/** Asked before the artifacts are placed, when the sandbox is still as its image. */
async function keptLinks(
  context: RewardContext,
  sandbox: Sandbox,
  links: readonly LostLink[],
): Promise<LostLink[]> {
  if (links.length === 0) return [];
  const found = await context.once('artifacts-links.json', async () =>
    Buffer.from(JSON.stringify(await linksOfImage(sandbox, links))),
  );
  return JSON.parse(Buffer.from(found).toString('utf8')) as LostLink[];
}

const linkEntry = ({ path, target }: LostLink): TarEntry => {
  return { path, type: 'symlink', mode: 0o777, mtime: new Date(0), content: NOTHING, target };
};

/** Artifacts with absolute sources; the working directory is asked for once, while the agent's sandbox is there. */
async function placedArtifacts({ task, step, context }: Verification): Promise<Artifact[]> {
  if (!step.artifacts.some(({ source }) => source === WORKDIR_ARTIFACT.source)) return step.artifacts;
  const workdir = Buffer.from(
    await context.once('workdir.txt', async () => Buffer.from(context.agentSandbox.workdir)),
  ).toString('utf8');
  if (workdir !== '/' && !SYSTEM.test(workdir)) {
    return [{ source: workdir, destination: workdir.slice(1), exclude: [] }];
  }
  throw new LongrunError('task_invalid', noArtifacts(task.taskId, workdir), { hint: ARTIFACTS_HINT });
}

/** A command that fails leaves its evidence out; the tests will miss it. */
async function runCollect(context: RewardContext, step: TaskStep): Promise<void> {
  for (const [i, { command, timeoutMs, user }] of step.verifier.collect.entries()) {
    await context.run(context.agentSandbox, `collect-${i}`, {
      script: command,
      cwd: null,
      env: {},
      user,
      timeoutMs: Math.ceil(timeoutMs * context.timeoutMultiplier),
      outputLimitBytes: COLLECT_OUTPUT_BYTES,
      stdin: null,
    });
  }
}

/** What the agent deleted must not come back from the image that it started with. */
async function clearSources(context: RewardContext, sandbox: Sandbox, step: TaskStep): Promise<void> {
  const sources = withConvention(step.artifacts)
    .map(({ source }) => source)
    .filter((source) => !SYSTEM.test(source));
  await context.run(sandbox, 'artifacts-clear', {
    script: shell`rm -rf -- ${sources.map(posixQuote).join(' ')}`,
    cwd: '/',
    env: {},
    user: 'root',
    timeoutMs: MINUTE_MS,
    outputLimitBytes: COLLECT_OUTPUT_BYTES,
    stdin: null,
  });
}

function hasOwnImage(spec: SandboxSpec | null, task: SandboxSpec): boolean {
  return spec !== null && JSON.stringify(spec.image) !== JSON.stringify(task.image);
}

/** An image made from tests/Dockerfile holds them already, perhaps compiled. */
async function hasTests(sandbox: Sandbox): Promise<boolean> {
  return (await sandbox.getArchive('/tests/test.sh', TEST_SCRIPT_LIMIT_BYTES)) !== null;
}

/** Once and before the tests enter, so that they are not taken for the agent's doing. */
async function takeSuspicions({ index, context, clean }: Verification): Promise<string[]> {
  if (!context.agentActed) return [];
  const bytes = await context.once('changed-paths.json', async () => {
    const changed: ChangedPath[] = (await context.agentSandbox.changedPaths()) ?? [];
    const suspicions = suspectTampering(changed, { testsRanBefore: index > 0 });
    return Buffer.from(JSON.stringify(suspicions.map(clean)));
  });
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as string[];
}

/** A task that cannot be verified here (a host variable is missing) fails alike on every try. */
async function orInvalid(verify: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await verify();
  } catch (error) {
    if (!LongrunError.is(error, 'task_invalid')) throw error;
    return failed('verifier_error', error.message, false, '', error.hint ?? null);
  }
}
