import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { listener, servingStore, threeTasks } from './rollout-api-host.js';

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    const { status, body } = await api.get('/openapi.json');
    expect(status).toBe(200);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(body));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('says of every request and answer what it is made of, in snake case', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    const { paths, components } = (await api.get('/openapi.json')).body;
    expect(Object.keys(paths)).toEqual([
      '/v1/environments',
      '/v1/items',
      '/v1/policy',
      '/v1/rollouts',
      '/v1/rollouts/{id}',
    ]);
    const request = components.schemas.RolloutRequest;
    expect(request.additionalProperties).toBe(false);
    expect(Object.keys(request.properties)).toContain('group_size');
    expect(request.required ?? []).toEqual([]);
    const names = JSON.stringify(components).match(/"properties":\{"[^"]*"/g) ?? [];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => /[a-z][A-Z]/.test(name.replace('"properties"', '')))).toEqual([]);
  });
});
