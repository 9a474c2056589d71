import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/state.js';
import { type ApiHost, servingStore, startListener, threeTasks } from './rollout-api-host.js';

let host: ApiHost;
let remove: () => Promise<void>;
beforeAll(async () => {
  const made = await makeFolder();
  remove = made.remove;
  host = await startListener(await servingStore(await threeTasks(), {}, made.folder));
});
afterAll(async () => {
  await host.stop();
  await remove();
});

describe('a request that cannot be meant', () => {
  it.each([
    ['/v1/rollouts', { grup_size: 4 }, 'grup_size', 'did you mean group_size?'],
    [
      '/v1/rollouts',
      { policy: { base_ulr: 'http://x/v1' } },
      'policy.base_ulr',
      'did you mean policy.base_url?',
    ],
    ['/v1/rollouts', { temperature: 1 }, 'temperature', 'there is no field "temperature"'],
    ['/v1/rollouts', { groupSize: 4 }, 'groupSize', 'did you mean group_size?'],
    ['/v1/rollouts', { group_size: 0 }, 'group_size', 'a whole number from 1 to 1000, or null'],
    ['/v1/rollouts', { group_size: '4' }, 'group_size', 'found "4"'],
    ['/v1/rollouts', { group_size: 2.5 }, 'group_size', 'found 2.5'],
    ['/v1/rollouts', { wait: -1 }, 'wait', 'a number from 0 to 600'],
    ['/v1/rollouts', { id: '../../etc' }, 'id', 'letters, digits'],
    ['/v1/rollouts', { item: 'tow' }, 'item', 'did you mean two?'],
    ['/v1/rollouts', { policy: 'mine' }, 'policy', 'an object with version, model, base_url, or null'],
    ['/v1/rollouts', { policy: { base_url: 'file:///etc/passwd' } }, 'policy.base_url', 'http://'],
    ['/v1/rollouts', { policy: { base_url: 'ftp://x/v1' } }, 'policy.base_url', 'http://'],
    ['/v1/rollouts', { policy: { base_url: 'http://me:secret@x/v1' } }, 'policy.base_url', 'without user'],
    ['/v1/items', { n: 100_000 }, 'n', 'a whole number from 1 to 1000'],
    ['/v1/items', { consumer: '../x' }, 'consumer', 'letters, digits'],
    ['/v1/items', [], null, 'instead of a JSON object'],
  ])('%s %j is refused by name', async (path, body, field, said) => {
    const answer = await host.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'bad_input', path: field });
    expect(answer.body.error.message).toContain(said);
    expect(answer.body.error.accepted).not.toBe('');
    expect(host.cluster.started).toEqual([]);
    expect(await host.store.children('runs')).toEqual(['serving']);
  });

  it('is refused where it is no JSON', async () => {
    const answer = await host.post('/v1/rollouts', '{"item": ');
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'bad_input' } } });
    expect(answer.body.error.message).toContain('no JSON');
  });

  it('is refused where the model does not exist', async () => {
    const answer = await host.post('/v1/rollouts', { policy: { model: 'scripted/nobody' } });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'model_unknown' } } });
  });

  it('is refused where the query is wrong, and where nobody asked for such a group', async () => {
    expect((await host.get('/v1/rollouts/unknown?wait=soon')).body.error).toMatchObject({ path: 'wait' });
    expect((await host.get('/v1/rollouts/unknown?wiat=1')).body.error.message).toContain(
      'did you mean wait?',
    );
    for (const id of ['unknown', '..%2F..%2Frun', '%00'])
      expect(await host.get(`/v1/rollouts/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    expect((await host.delete('/v1/rollouts/unknown')).status).toBe(404);
  });

  it('is refused where it comes from a page of another site, which could start rollouts unseen', async () => {
    const answer = await host.post('/v1/rollouts', {}, { origin: 'https://example.com' });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'foreign_page' } } });
    expect(host.cluster.started).toEqual([]);
    expect((await host.get('/v1/environments', { origin: 'http://localhost:3000' })).status).toBe(200);
  });
});
