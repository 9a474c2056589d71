import { hostname } from 'node:os';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { type HostRecord, hostRecordSchema, readHosts } from '../../src/store/hosts.js';
import { keys } from '../../src/store/keys.js';
import { writeRecord } from '../../src/store/records/records.js';
import { HostPresence } from '../../src/worker/host-presence.js';
import { tempStore } from '../store/temp-store.js';

const NOW = 1_000_000_000;
const logger = pino({ level: 'silent' });
const facts = { hostId: 'one', role: 'host' as const, capacity: { docker: 8 }, live: () => ({ docker: 3 }) };

const elsewhere: HostRecord = {
  schemaVersion: 1,
  hostId: 'one',
  hostname: 'another-machine',
  firstSeenAt: 7,
  role: 'all',
  pid: 1,
  capacity: {},
  live: {},
  draining: false,
  lastSeenAt: NOW - 10_000,
  leftAt: null,
};

it('a host tells what it holds, that it drains and that it leaves', async () => {
  const store = await tempStore();
  const presence = await HostPresence.begin(store, facts, logger, () => NOW);
  const record = { hostId: 'one', hostname: hostname(), role: 'host', live: { docker: 3 }, lastSeenAt: NOW };
  expect(await readHosts(store)).toMatchObject([{ ...record, draining: false, leftAt: null }]);
  await presence.drain();
  expect(await readHosts(store)).toMatchObject([{ draining: true, leftAt: null }]);
  await presence.leave();
  expect(await readHosts(store)).toMatchObject([{ draining: true, leftAt: NOW }]);
});

it('a name that another machine uses now is refused; one that it has left or lost is taken over', async () => {
  const store = await tempStore();
  const write = (over: Partial<HostRecord>) =>
    writeRecord(store, hostRecordSchema, keys.host('one'), { ...elsewhere, ...over });
  const begin = () => HostPresence.begin(store, facts, logger, () => NOW);
  await write({});
  await expect(begin()).rejects.toMatchObject({
    code: 'host_locked',
    details: { hostname: 'another-machine' },
  });
  for (const gone of [{ leftAt: NOW - 1 }, { lastSeenAt: NOW - 120_000 }]) {
    await write(gone);
    const presence = await begin();
    expect(await readHosts(store)).toMatchObject([{ hostname: hostname(), firstSeenAt: 7, leftAt: null }]);
    await presence.leave();
  }
});
