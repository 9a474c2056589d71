/** Attaches to the state folder's server, says where it is, and stays until a go file appears; then leaves. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attachServer } from '../../../src/temporal/embedded-server.js';

const [stateDir = '', leaveFile = ''] = process.argv.slice(2);
const server = await attachServer({ stateDir });
console.log(`${server.pid} ${server.address} ${server.started ? 'started' : 'found'}`);
while (!existsSync(leaveFile)) await sleep(20);
await server.detach();
console.log('left');
