import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { ASK_HEALTH, type FromWorker, SUPERVISED, supervisorLine } from '../../src/hosts/supervised.js';
import { until } from '../support/until.js';

/** The worker's end of a line, whose other end is the list of what was told. */
class Line extends EventEmitter {
  connected = true;
  readonly told: FromWorker[] = [];

  send(message: FromWorker, sent: () => void): boolean {
    this.told.push(message);
    sent();
    return true;
  }
}

it('tells a supervisor that asks for its health why it cannot be known, and goes on working', async () => {
  const line = new Line();
  supervisorLine({ [SUPERVISED]: '1' }, line)?.ready({
    address: '127.0.0.1:7233',
    hostId: 'host',
    health: () => Promise.reject(new Error('the engine cannot be asked')),
  });
  line.emit('message', ASK_HEALTH);
  await until(() => line.told.length === 2);
  expect(line.told.at(-1)).toEqual({
    kind: 'health',
    report: { ready: false, document: { error: 'Error: the engine cannot be asked' } },
  });
});
