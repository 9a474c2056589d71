import { expect, it } from 'vitest';
import { ID_PATTERN } from '../../src/core/ids.js';
import { newRunId } from '../../src/runs/run-id.js';

const at = Date.UTC(2026, 3, 12, 15, 3, 9);

it('a new run is named after its environment and its time', () => {
  expect(newRunId('tblite', at, () => 'k3f9')).toBe('tblite-20260412-1503-k3f9');
});

it.each(['My Tasks!', '///', 'x'.repeat(200), 'ünïcode'])(
  'a run of "%s" has an id that can be a file name',
  (name) => {
    expect(newRunId(name, at)).toMatch(ID_PATTERN);
  },
);

it('two runs of the same minute have different ids', () => {
  expect(newRunId('a', at)).not.toBe(newRunId('a', at));
});
