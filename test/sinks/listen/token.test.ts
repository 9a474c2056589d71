import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/store/index.js';
import { tempStateDir } from '../../store/temp-store.js';
import { ServeRun } from '../support/serve-run.js';
import { Listening, ON_LOOPBACK, posted } from './support/listening.js';

const TOKEN = 'sesame-of-the-api';
const KEY = 'sk-of-the-model';

test('neither the token of the API nor the key of the model is written anywhere', async () => {
  const stateDir = await tempStateDir();
  const serve = await ServeRun.plan(await openStore(stateDir), {
    serve: { ...ON_LOOPBACK, tokenEnv: 'API_TOKEN' },
  });
  await serve.closeMany(2);
  const env = { API_TOKEN: TOKEN, OPENAI_API_KEY: KEY };
  const listening = await Listening.start(serve, { token: TOKEN, env });
  await listening.register(8);
  await listening.post('/v1/policy', { version: '7' });
  await listening.queued(2);
  expect((await listening.batch(0)).batch).toHaveLength(2);
  await listening.send('/scored_data', posted(4, 1));
  expect((await fetch(`${listening.url}/status`)).status).toBe(401);
  await listening.stop();
  await listening.executor.close();
  const names = readdirSync(stateDir, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(files.some((text) => text.includes('API_TOKEN'))).toBe(true);
  for (const secret of [TOKEN, KEY]) expect(files.filter((text) => text.includes(secret))).toEqual([]);
});
