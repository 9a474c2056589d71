import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The process of a model endpoint that takes every call and never answers. Tells its parent the
 * address, then, whenever asked, how many calls wait.
 */
let waiting = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'parked', object: 'model' }] }));
    return;
  }
  waiting += 1;
  request.resume();
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', 4096, () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
process.on('message', () => process.send?.(waiting));
process.on('disconnect', () => process.exit(0));
