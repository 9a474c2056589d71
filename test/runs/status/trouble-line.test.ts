import { expect, it } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import { TroubleLine } from '../../../src/runs/status/trouble-line.js';

it('a store that stays away is told of once, and once that it is back', () => {
  const said: string[] = [];
  const line = new TroubleLine((text) => said.push(text));
  line.over();
  const away = new LongrunError('store_unavailable', 'cannot reach runs/r (EIO)', { retryable: true });
  for (let i = 0; i < 100; i++) line.trouble(away);
  line.trouble(new LongrunError('store_full', 'no space left for runs/r (ENOSPC)', { retryable: true }));
  line.over();
  line.over();
  expect(said).toEqual([
    'The store does not answer (cannot reach runs/r (EIO)): waiting until it does, nothing is lost.',
    'The store has no space left (no space left for runs/r (ENOSPC)): waiting until it does, nothing is lost.',
    'It answers again; going on.',
  ]);
});
