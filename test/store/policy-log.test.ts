import { expect, it } from 'vitest';
import { AppendLog } from '../../src/store/append-log.js';
import { keys } from '../../src/store/keys.js';
import { PolicyLog } from '../../src/store/policy-log.js';
import { policySchema } from '../../src/store/records/serve.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { tempStore } from './temp-store.js';

const logOf = (store: ArtifactStore) => new PolicyLog(store, 'run', Date.now);
const lengthOf = (store: ArtifactStore) => new AppendLog(store, policySchema, keys.policies('run')).length();
const trainer = (version: string) => ({ version, source: 'trainer' as const });
const endpoint = (version: string) => ({ version, source: 'endpoint' as const });

it('counts how many versions have come since one, in any process', async () => {
  const store = await tempStore();
  const teller = logOf(store);
  expect(await logOf(store).latest()).toBeNull();
  for (let step = 0; step < 70; step++) await teller.tell(trainer(String(step)));
  expect(await logOf(store).lagsOf(['69', '66', '0', 'never', null])).toEqual([0, 3, 69, null, null]);
  expect(await logOf(store).latest()).toMatchObject({ version: '69' });
});

it('takes the same word once, however many say it, at once or again', async () => {
  const store = await tempStore();
  const tellers = [logOf(store), logOf(store), logOf(store)];
  for (const version of ['1', '2']) {
    await Promise.all(tellers.map((teller) => teller.tell(trainer(version))));
    await Promise.all(tellers.map((teller) => teller.tell(trainer(version))));
  }
  expect(await lengthOf(store)).toBe(2);
  expect(await logOf(store).lagsOf(['1'])).toEqual([1]);
});

it('takes a trainer that begins again from 0 for newer than all before', async () => {
  const store = await tempStore();
  const log = logOf(store);
  for (const version of ['0', '1', '2', '0']) await log.tell(trainer(version));
  expect(await log.lagsOf(['0', '2'])).toEqual([0, 1]);
});

it('is not filled by two trainers who each repeat their own step', async () => {
  const store = await tempStore();
  const [one, other] = [logOf(store), logOf(store)];
  for (let poll = 0; poll < 5; poll++) {
    await one.tell(trainer('7'));
    await other.tell(trainer('3'));
  }
  expect(await lengthOf(store)).toBe(2);
});

it('notes what an endpoint was seen with once, in the order of first sight', async () => {
  const store = await tempStore();
  const log = logOf(store);
  for (const version of ['a', 'b', 'a', 'c', 'b']) await log.tell(endpoint(version));
  expect(await lengthOf(store)).toBe(3);
  expect(await logOf(store).lagsOf(['a', 'b', 'c'])).toEqual([2, 1, 0]);
});

it('keeps the model and the address until somebody names others', async () => {
  const store = await tempStore();
  const log = logOf(store);
  await log.tell({ version: '1', source: 'api', model: 'adapter-1', baseUrl: 'http://here/v1' });
  await logOf(store).tell(trainer('2'));
  expect(await log.latest()).toMatchObject({ version: '2', model: 'adapter-1', baseUrl: 'http://here/v1' });
  await log.tell({ ...trainer('3'), model: null });
  expect(await log.latest()).toMatchObject({ model: null, baseUrl: 'http://here/v1' });
});
