import { afterAll, beforeAll, describe } from 'vitest';
import type { ImageSource } from '../../src/core/rollout/task.schema.js';
import type { SandboxDriver } from '../../src/sandbox/sandbox.js';
import { archiveBehaviour } from './conformance/archives.js';
import { execBehaviour } from './conformance/exec.js';
import { executionJournal } from './conformance/journal.js';
import { SandboxKit } from './conformance/kit.js';
import { lifecycleBehaviour } from './conformance/lifecycle.js';
import { limitsAndIsolation } from './conformance/limits.js';
import { noNetwork } from './conformance/no-network.js';
import { processBehaviour } from './conformance/processes.js';

export interface ConformanceOptions {
  /** Name of an image with /bin/sh and coreutils, or a whole source. */
  image: string | ImageSource;
}

/**
 * The one suite that every sandbox driver passes. `makeDriver` answers a fresh driver object each time (as a
 * new process would have); what its `profile` does not promise is asserted as the documented lesser behaviour
 * or is not asked for.
 */
export function describeSandboxConformance(
  name: string,
  makeDriver: () => SandboxDriver,
  options: ConformanceOptions,
): void {
  describe(`${name} sandboxes`, () => {
    const image: ImageSource =
      typeof options.image === 'string' ? { kind: 'image', name: options.image } : options.image;
    const kit = new SandboxKit(makeDriver, image);
    const { profile } = makeDriver();
    beforeAll(() => kit.open(), 120_000);
    afterAll(() => kit.close(), 60_000);

    execBehaviour(kit, profile);
    processBehaviour(kit, profile);
    executionJournal(kit, profile);
    archiveBehaviour(kit, profile);
    lifecycleBehaviour(kit, profile);
    limitsAndIsolation(kit, profile);
    if (profile.processes) noNetwork(kit);
  });
}
