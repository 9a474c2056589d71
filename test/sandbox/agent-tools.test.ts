import { afterAll, beforeAll, describe } from 'vitest';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import type { SandboxDriver } from '../../src/sandbox/sandbox.js';
import { readFileBehaviour } from './agent-tools/read-file.js';
import { searchFilesBehaviour } from './agent-tools/search-files.js';
import { plainShellBehaviour, terminalBehaviour } from './agent-tools/terminal.js';
import { writeAndPatchBehaviour } from './agent-tools/write-and-patch.js';
import { SandboxKit } from './conformance/kit.js';

const DRIVERS: Record<string, () => SandboxDriver> = {
  'in-memory': () => new MemoryDriver(),
  bubblewrap: () => new BubblewrapDriver(),
  docker: () => new DockerDriver(),
};

for (const [name, makeDriver] of Object.entries(DRIVERS)) {
  describe(`the agent's tools in a ${name} sandbox`, () => {
    const image = name === 'docker' ? 'debian:bookworm-slim' : 'host';
    const kit = new SandboxKit(makeDriver, { kind: 'image', name: image });
    const { profile } = makeDriver();
    beforeAll(() => kit.open());
    afterAll(() => kit.close());

    terminalBehaviour(kit, profile);
    readFileBehaviour(kit);
    writeAndPatchBehaviour(kit, profile);
    searchFilesBehaviour(kit);
    if (name === 'docker') plainShellBehaviour(kit);
  });
}
