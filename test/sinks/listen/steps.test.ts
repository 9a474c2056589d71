import { expect, test } from 'vitest';
import type { ListenerEvent } from '../../../src/sinks/listen/listener.schema.js';
import { applyEvent, emptyState } from '../../../src/sinks/listen/listener-state.js';

const registered = (startingStep: number): ListenerEvent => ({
  ...{ schemaVersion: 1, kind: 'registered', uuid: '1', at: 1 },
  registration: {
    ...{ wandbGroup: 'g', wandbProject: 'p', batchSize: 1, maxTokenLen: 512, checkpointDir: '/c' },
    ...{ saveCheckpointInterval: 1, startingStep, numSteps: 10 },
  },
});
const queued = (...ids: string[]): ListenerEvent => ({
  ...{ schemaVersion: 1, kind: 'queued', at: 1 },
  items: ids.map((id) => ({ id, size: 1, envId: null, groupId: null, policy: null })),
});
const issued = (batch: number, entry: string, acknowledges: number | null): ListenerEvent => ({
  ...{ schemaVersion: 1, kind: 'issued', at: 1 },
  ...{ batch, entries: [entry], acknowledges },
});
const reissued = (batch: number): ListenerEvent => ({ schemaVersion: 1, kind: 'reissued', batch, at: 1 });

function after(...events: ListenerEvent[]) {
  const state = emptyState();
  for (const event of events) applyEvent(state, event);
  return { step: state.step, trained: state.trained };
}

const begun = [registered(0), queued('a', 'b', 'c'), issued(1, 'a', null), issued(2, 'b', 1)];

test('a batch that is handed out once more after a registration is the first step of it', () => {
  expect(after(...begun)).toEqual({ step: 2, trained: 1 });
  expect(after(...begun, registered(1))).toEqual({ step: 1, trained: 1 });
  expect(after(...begun, registered(1), reissued(2))).toEqual({ step: 2, trained: 1 });
  expect(after(...begun, registered(1), reissued(2), reissued(2))).toEqual({ step: 2, trained: 1 });
  expect(after(...begun, registered(1), reissued(2), issued(3, 'c', 2))).toEqual({ step: 3, trained: 2 });
});

test('a trainer that comes back with a batch behind it is not counted a step for that again', () => {
  expect(after(...begun, registered(2), issued(3, 'c', 2))).toEqual({ step: 3, trained: 2 });
});
