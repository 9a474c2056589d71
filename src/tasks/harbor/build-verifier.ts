import type { SandboxSpec, VerifierSpec } from '../../core/rollout/task.schema.js';
import { MINUTE_MS } from '../../core/time.js';
import { buildImage } from './build-image.js';
import { buildSandboxSpec, milliseconds, phaseNetwork } from './build-sandbox-spec.js';
import { checkScript } from './check-layout.js';
import { addFolderBlob } from './folder-blob.js';
import { overlay, subfolder } from './task-folder.js';
import type { TaskSource } from './task-source.js';
import { type EnvironmentToml, taskTomlSchema, type VerifierToml } from './task-toml.schema.js';
import type { KeyPath } from './toml-lines.js';

const DEFAULT_TIMEOUT_MS = 10 * MINUTE_MS;

/** One step's place in task.toml and in the folder; the only step of a single-step task is the root. */
export interface StepPlace {
  path: KeyPath;
  /** `''` or `steps/<name>/`. */
  folder: string;
  verifier: VerifierToml;
}

/** How a step is verified: its own settings over the task's, its tests over the shared ones. */
export async function buildVerifier(
  source: TaskSource,
  place: StepPlace,
  sandbox: SandboxSpec,
): Promise<VerifierSpec> {
  const own = place.verifier;
  const shared = source.config.verifier ?? {};
  const isolation = modeOf(own) ?? modeOf(shared) ?? 'shared';
  for (const [verifier, path] of [
    [own, place.path],
    [shared, []],
  ] as const) {
    if (verifier.environment === undefined || modeOf(verifier) === 'separate') continue;
    source.refuse([...path, 'verifier', 'environment'], {
      message: '[verifier.environment] needs a separate verifier',
      found: `environment_mode = "${verifier.environment_mode}"`,
      accepted: 'environment_mode = "separate", or nothing',
    });
  }
  const separate = isolation === 'separate' ? await separateSandbox(source, place, sandbox) : null;
  if (isolation !== 'separate') refuseOtherNetwork(source, place, sandbox);
  const collect = [...(shared.collect ?? []), ...(place.folder === '' ? [] : (own.collect ?? []))];
  return {
    isolation,
    timeoutMs: timeoutOf(own) ?? timeoutOf(shared) ?? DEFAULT_TIMEOUT_MS,
    user: userName(own.user ?? shared.user),
    env: { ...shared.env, ...own.env },
    sandbox: separate,
    collect: collect.map(({ command, timeout_sec, user }) => ({
      command,
      timeoutMs: milliseconds(timeout_sec),
      user: userName(user),
    })),
    tests: await buildTests(source, place, hasOwnImage(separate, sandbox)),
  };
}

export const userName = (user: string | number | undefined): string | null =>
  user === undefined ? null : String(user);

const timeoutOf = (verifier: VerifierToml): number | null =>
  verifier.timeout_sec === undefined ? null : milliseconds(verifier.timeout_sec);

function modeOf(verifier: VerifierToml): VerifierSpec['isolation'] | null {
  return verifier.environment_mode ?? (verifier.environment === undefined ? null : 'separate');
}

/** Null when the task's own sandbox spec does. */
async function separateSandbox(
  source: TaskSource,
  place: StepPlace,
  sandbox: SandboxSpec,
): Promise<SandboxSpec | null> {
  const shared = source.config.verifier ?? {};
  const declared = place.verifier.environment ?? shared.environment;
  const image = await verifierImage(source, place, declared);
  const mode = place.verifier.network_mode ?? shared.network_mode;
  if (declared === undefined && image === null && mode === undefined) return null;
  const spec =
    declared === undefined
      ? { ...sandbox, image: image ?? sandbox.image }
      : buildSandboxSpec(declared, image ?? sandbox.image);
  return mode === undefined ? spec : { ...spec, network: phaseNetwork(mode) };
}

/** tests/Dockerfile of the step if it has tests of its own, else of the task; null = the task's image. */
async function verifierImage(source: TaskSource, place: StepPlace, declared: EnvironmentToml | undefined) {
  const own = `${place.folder}tests`;
  const folder = source.find(own) === undefined ? 'tests' : own;
  const hasDockerfile = source.find(`${folder}/Dockerfile`) !== undefined;
  if (declared?.docker_image === undefined && !hasDockerfile) return null;
  const defaults = taskTomlSchema.shape.environment.unwrap().parse({});
  return buildImage(source, declared ?? defaults, folder);
}

/** Its image may bring the tests; that of the task must not. */
const hasOwnImage = (separate: SandboxSpec | null, sandbox: SandboxSpec): boolean =>
  separate !== null && separate.image !== sandbox.image;

async function buildTests(source: TaskSource, place: StepPlace, optional: boolean) {
  const shared = subfolder(source.entries, 'tests', source.problems);
  const own = place.folder === '' ? [] : subfolder(source.entries, `${place.folder}tests`, source.problems);
  const path = [`${place.folder}tests/test.sh`, 'tests/test.sh'].find((at) => source.find(at) !== undefined);
  if (path !== undefined) await checkScript(source, path);
  else if (optional)
    source.note('tests', 'there is no test.sh; the verifier image has to hold /tests/test.sh');
  else
    source.refuseFile(
      `${place.folder}tests/test.sh`,
      'the tests are missing',
      'a script that writes a reward',
    );
  return addFolderBlob(overlay(shared, own), source.blobs);
}

function refuseOtherNetwork(source: TaskSource, place: StepPlace, sandbox: SandboxSpec): void {
  const path = place.verifier.network_mode === undefined ? [] : place.path;
  const mode = place.verifier.network_mode ?? source.config.verifier?.network_mode;
  refuseNetworkChange(source, [...path, 'verifier', 'network_mode'], mode, sandbox);
}

/** A phase may repeat the sandbox's network mode; changing it on a running sandbox is not supported. */
export function refuseNetworkChange(
  source: TaskSource,
  path: KeyPath,
  mode: string | undefined,
  sandbox: SandboxSpec,
): void {
  if (mode === undefined || mode === 'allowlist' || phaseNetwork(mode) === sandbox.network) return;
  source.refuse(path, {
    message: 'another network_mode than that of [environment] is not supported for one phase',
    found: mode,
    accepted: `"${sandbox.network === 'none' ? 'no-network' : 'public'}", or nothing`,
  });
}
