import { text } from 'node:stream/consumers';
import type Dockerode from 'dockerode';
import type { SandboxState } from '../sandbox.js';
import { type ContainerEvents, type ContainerState, endCause, readEvents } from './end-cause.js';
import { engineStatus, toLongrunError } from './engine-error.js';

const REMOVED: SandboxState = { running: false, ended: 'outside', oomKilled: false };

/** State of a container; one that is no longer there, or half removed, was removed from outside. */
export async function containerState(docker: Dockerode, id: string): Promise<SandboxState> {
  try {
    const { State } = await docker.getContainer(id).inspect();
    if (State.Dead) return REMOVED;
    return endCause(State, await eventsSinceStart(docker, id, State));
  } catch (error) {
    if (engineStatus(error) === 404) return REMOVED;
    throw toLongrunError(error, 'asking for the state of a container');
  }
}

/** From the start on, to the millisecond: a restart has killed the container just before. */
async function eventsSinceStart(
  docker: Dockerode,
  id: string,
  state: ContainerState,
): Promise<ContainerEvents> {
  const events = await docker.getEvents({
    since: seconds(Date.parse(state.StartedAt)),
    until: seconds(Date.now()),
    filters: { container: [id], event: ['kill', 'oom'] },
  });
  return readEvents(await text(events));
}

const seconds = (ms: number): number => ms / 1000;
