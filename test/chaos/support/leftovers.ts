import { readdir } from 'node:fs/promises';
import { LABEL } from '../../../src/sandbox/docker/labels.js';
import { clusterId } from '../../../src/store/installation.js';
import { containersOf, docker } from '../../support/docker-host.js';
import { until } from '../../support/until.js';
import type { ChaosEvidence } from './invariants.js';
import { childrenOf, livingOf } from './processes.js';

/** The reaper looks every 20 s; a sandbox that no workflow knows of goes in its next round. */
const REAPED_WITHIN_MS = 60_000;

/** What a run that has ended left on this machine, a sentence each; waits for the reaper first. */
export async function leftovers(chaos: ChaosEvidence): Promise<string[]> {
  const left: string[] = [];
  let containers: string[] = [];
  const gone = async () => {
    containers = await containersOf(chaos.store);
    return containers.length === 0;
  };
  await until(gone, { limitMs: REAPED_WITHIN_MS }).catch(() => undefined);
  for (const id of containers) left.push(`container ${id.slice(0, 12)} is left over`);
  for (const id of await networks(chaos)) left.push(`network ${id} is left over`);
  // Of workers that live: their sandboxes; of those that were killed: anything.
  const sandboxes = chaos.workers
    .flatMap(({ pid }) => childrenOf(pid))
    .filter(({ command }) => command.startsWith('bwrap'));
  for (const what of livingOf([...chaos.offspring, ...sandboxes])) left.push(`process ${what} is left over`);
  for (const name of await readdir(chaos.temporaryFolder))
    if (name.startsWith('longrun')) left.push(`temporary folder ${name} is left over`);
  return left;
}

async function networks({ store }: ChaosEvidence): Promise<string[]> {
  const installation = await clusterId(store, () => 'none');
  const listed = await docker(
    'network',
    'ls',
    '--quiet',
    '--filter',
    `label=${LABEL.cluster}=${installation}`,
  );
  return listed.split('\n').filter((id) => id !== '');
}
