/** Waits for a go file, tries to take the lock, says how it went, and lives until it is killed. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryAcquire } from '../../../src/machine/process-lock.js';

const [path = '', goFile = ''] = process.argv.slice(2);
console.log('ready');
while (goFile !== '' && !existsSync(goFile)) await sleep(1);
const lock = tryAcquire(path, { pid: process.pid });
console.log('heldBy' in lock ? `refused by ${lock.heldBy.holder.pid}` : 'taken');
setInterval(() => undefined, 60_000);
