import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { threat } from '../../support/threat.js';
import { run, type SandboxKit, textOf } from './kit.js';
import { expectRefused, ofThisMachine, reach, type Target } from './reach.js';

/** What a sandbox of a task that asks for no network can reach: its own loopback interface. */
export function noNetwork(kit: SandboxKit): void {
  describe(threat('an agent without a network', 'anything outside of its sandbox'), () => {
    const abstract = `longrun-test-${randomBytes(6).toString('hex')}`;
    const servers = [answering(), answering()] as const;
    let port = 0;

    beforeAll(async () => {
      servers[0].listen(0, '::');
      servers[1].listen(`\0${abstract}`);
      await Promise.all(servers.map((server) => once(server, 'listening')));
      port = (servers[0].address() as AddressInfo).port;
    });
    afterAll(() => {
      for (const server of servers) server.close();
    });

    test('it has one network device, the loopback interface', async () => {
      const devices = textOf(await run(await kit.shared(), 'grep : /proc/net/dev | cut -d: -f1'));
      expect(devices.trim().split(/\s+/)).toEqual(['lo']);
    });

    test('no address answers, of the host, of a cloud or of the internet, by IPv4 or IPv6', async () => {
      const addresses = [
        ...[...ofThisMachine('IPv4'), ...ofThisMachine('IPv6'), '127.0.0.1', '::1'],
        ...['169.254.169.254', '198.18.0.1', '2001:db8::1', 'fe80::1%1', 'ff02::1%1', '224.0.0.251'],
      ];
      const targets = addresses.flatMap((address): Target[] => [
        { way: 'plain', protocol: 'tcp', address, port },
        { way: 'direct', protocol: 'tcp', address, port },
        { way: 'plain', protocol: 'udp', address, port },
      ]);
      expectRefused(await reach(await kit.shared(), targets));
    });

    test('no name is found, and no name server answers', async () => {
      const script = 'perl -e \'print defined(scalar gethostbyname "example.com") ? "found" : "not found"\'';
      expect(textOf(await run(await kit.shared(), script))).toBe('not found');
    });

    test('sockets of the host that have no place in the file system cannot be reached', async () => {
      const outside = connect(`\0${abstract}`);
      await once(outside, 'connect');
      outside.destroy();
      const script = `perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0);
        print connect($s, pack_sockaddr_un("\\0${abstract}")) ? "reached" : $!'`;
      expect(textOf(await run(await kit.shared(), script))).toBe('Connection refused');
    });
  });
}

const answering = (): Server => createServer((socket) => socket.on('error', () => undefined).end('hello\n'));
