/**
 * Answers whoever reaches it: an echo by TCP and UDP on all addresses, and every name by DNS. Arguments: port of the
 * echo, address for DNS. Prints a line when it answers.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const [port, dnsAddress] = process.argv.slice(2);

const tcp = createServer((socket) => socket.on('error', () => undefined).end('hello\n'));
tcp.listen(Number(port), '::');
const udp = createSocket('udp6', (_, from) => udp.send('hello\n', from.port, from.address));
udp.bind(Number(port), '::');
const dns = createSocket('udp4', (query, from) => dns.send(answer(query), from.port, from.address));
dns.bind(53, dnsAddress);
await Promise.all([tcp, udp, dns].map((server) => once(server, 'listening')));
console.log('answers');

/** 203.0.113.7 for a question of type A, nothing for others. https://www.rfc-editor.org/rfc/rfc1035 */
function answer(query) {
  const end = query.indexOf(0, 12) + 5;
  const isAddress = query.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(isAddress ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 203, 0, 113, 7]);
  return Buffer.concat([header, query.subarray(12, end), ...(isAddress ? [record] : [])]);
}
