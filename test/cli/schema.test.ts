import { expect, it } from 'vitest';
import { longrun } from './support/longrun.js';

it('prints the JSON Schema of longrun.yaml for editors', async () => {
  const { code, json } = await longrun(['schema', 'config']);
  expect(code).toBe(0);
  expect(json()).toMatchObject({ title: 'longrun.yaml', properties: { samples: { minimum: 1 } } });
});
