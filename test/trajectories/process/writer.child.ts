import { openStore } from '../../../src/store/index.js';
import { written } from './finished-run.js';

/** Writes the output of a finished run, and is killed somewhere on the way. Arguments: state folder, output, seed. */
const [stateDir = '', folder = '', seed = '0'] = process.argv.slice(2);
const store = await openStore(stateDir);
console.log('writing');
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5 + ((Number(seed) * 7_919) % 60));
await written(store, folder);
// One that was quicker than that is killed as well.
await new Promise(() => undefined);
