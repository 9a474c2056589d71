import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A stand-in that speaks just enough gRPC to say that it is a Temporal server of `version` (field 1 of
 * GetSystemInfoResponse); every other call gets an empty answer.
 */
export async function startServerOfVersion(version: string): Promise<string> {
  const systemInfo = Buffer.concat([Buffer.from([0x0a, version.length]), Buffer.from(version)]);
  const server = createServer((request, response) => {
    const message = request.url.endsWith('/GetSystemInfo') ? systemInfo : Buffer.alloc(0);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    response.writeHead(200, { 'content-type': 'application/grpc' });
    response.write(Buffer.concat([frame, message]));
    response.addTrailers({ 'grpc-status': '0' });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
