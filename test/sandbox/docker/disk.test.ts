import { expect, test } from 'vitest';
import { run, textOf } from '../conformance/kit.js';
import { dockerKit } from './kit.js';

const kit = dockerKit();

// 20 MB at a time, so that the two seconds between two looks do not fill the machine.
const FILL =
  'i=0; while [ $i -lt 500 ]; do head -c 20000000 /dev/zero > /fill.$i; i=$((i+1)); sleep 0.1; done';

test('a command that writes more than its sandbox may hold is ended and told why', async () => {
  if (kit.driver.profile.diskLimit) return expect(kit.driver.profile.diskLimit).toBe(true);
  const sandbox = await kit.fresh({ storageMb: 64 });
  const filling = await run(sandbox, FILL);
  expect(filling.exitCode).not.toBe(0);
  expect(filling.timedOut).toBe(false);
  expect(textOf(filling)).toContain('it holds more than its 64 MB of disk');
  expect(textOf(await run(sandbox, 'rm /fill.*; echo fine'))).toBe('fine\n');
});

test('what was left running to fill the disk is ended, too', async () => {
  if (kit.driver.profile.diskLimit) return expect(kit.driver.profile.diskLimit).toBe(true);
  const sandbox = await kit.fresh({ storageMb: 64 });
  await run(sandbox, `setsid sh -c '${FILL}' > /dev/null 2>&1 & true`);
  await run(sandbox, 'sleep 6');
  const count = 'ls /fill.* | wc -l';
  const before = textOf(await run(sandbox, count));
  expect(textOf(await run(sandbox, `sleep 1; ${count}`))).toBe(before);
});
