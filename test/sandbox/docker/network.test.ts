import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { threat } from '../../support/threat.js';
import { run, textOf } from '../conformance/kit.js';
import { everyWay, expectRefused, ofThisMachine, reach, type Target } from '../conformance/reach.js';
import { docker, dockerKit } from './kit.js';
import { Internet } from './support/internet.js';
import { allowNameserver, connectedContainer, connectFrom, lookUp } from './support/named-container.js';

const kit = dockerKit();
const PORT = 7_000;
const USERS = ['root', 'nobody'];

const made: string[] = [];
let internet: Internet;
let sandbox: Sandbox;
let neighbour: Sandbox;

beforeAll(async () => {
  internet = await Internet.open();
  [sandbox, neighbour] = await Promise.all([
    kit.fresh({ network: 'public' }),
    kit.fresh({ network: 'public' }),
  ]);
  await Promise.all([sandbox, neighbour].map(listen));
});
afterAll(async () => {
  await Promise.all(made.map((container) => docker('rm', '--force', container)));
  await internet?.close();
});

const listen = (where: Sandbox) =>
  run(where, `setsid perl -e '${ECHO}' ${PORT} > /dev/null 2>&1 & sleep 0.3`);

const ECHO = `use Socket;
socket(my $tcp, AF_INET, SOCK_STREAM, 0); setsockopt($tcp, SOL_SOCKET, SO_REUSEADDR, 1);
socket(my $udp, AF_INET, SOCK_DGRAM, 0);
bind($_, pack_sockaddr_in($ARGV[0], INADDR_ANY)) or die for $tcp, $udp;
listen $tcp, 9;
if (fork) { while (accept(my $c, $tcp)) { syswrite $c, "hello\\n"; close $c } }
else { while (my $from = recv($udp, my $data, 100, 0)) { send $udp, "hello\\n", 0, $from } }`;

async function addressOf({ ref }: Sandbox): Promise<{ address: string; gateway: string }> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}';
  const [address = '', gateway = ''] = (await docker('inspect', '--format', format, ref.id)).split(' ');
  return { address, gateway };
}

const networkOf = ({ ref }: Sandbox) =>
  docker('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.NetworkID}}{{end}}', ref.id);

async function expectShielded(from: Sandbox): Promise<void> {
  const { gateway } = await addressOf(from);
  const addresses = [gateway, internet.hostAddress, internet.linkLocal, (await addressOf(sandbox)).address];
  const targets = addresses.flatMap((address) => everyWay(address, internet.port));
  expectRefused(await reach(from, targets, 'root'));
}

/** By each protocol, as programs do it. */
async function expectInternet(from: Sandbox, user: string): Promise<void> {
  const targets = everyWay(internet.address, internet.port).filter(({ way }) => way === 'plain');
  expect(new Set(Object.values(await reach(from, targets, user)))).toEqual(new Set(['answered']));
}

describe('a sandbox with a network', () => {
  test.each(USERS)('reaches the internet, as %s', (user) => expectInternet(sandbox, user));

  test('finds names through the engine, also by a name server of the host, which answers nothing else', async () => {
    const [far, near] = await Promise.all([
      connectedContainer(internet.address),
      connectedContainer(internet.hostAddress),
    ]);
    made.push(far, near);
    expect(await lookUp(far)).toBe(internet.resolved);
    expect(await lookUp(near)).not.toBe(internet.resolved);
    await allowNameserver(near, internet.hostAddress);
    expect(await lookUp(near)).toBe(internet.resolved);
    expect(await connectFrom(near, internet.hostAddress, internet.port)).toBe('Connection refused');
    expect(await connectFrom(near, internet.address, internet.port)).toBe('connected');
  });
});

describe(threat('an agent with a network', 'the sandboxes of other rollouts'), () => {
  test.each(USERS)(
    'none can be reached from another, as %s, by any protocol, in either direction',
    async (user) => {
      const [one, two] = await Promise.all([addressOf(sandbox), addressOf(neighbour)]);
      const itself = await reach(
        neighbour,
        [{ way: 'plain', protocol: 'tcp', address: two.address, port: PORT }],
        user,
      );
      expect(Object.values(itself)).toEqual(['answered']);
      expectRefused(await reach(sandbox, everyWay(two.address, PORT), user));
      expectRefused(await reach(neighbour, everyWay(one.address, PORT), user));
    },
  );
});

describe(threat('an agent with a network', 'services of the host'), () => {
  test.each(USERS)('none can be reached by any address that the host has, as %s', async (user) => {
    const { gateway } = await addressOf(sandbox);
    const addresses = new Set([gateway, internet.hostAddress, ...ofThisMachine('IPv4')]);
    const targets = [...addresses].flatMap((address) => everyWay(address, internet.port));
    expectRefused(await reach(sandbox, targets, user));
  });

  test('none can be reached by IPv6', async () => {
    const addresses = [...ofThisMachine('IPv6'), '::1', '::ffff:127.0.0.1', 'fe80::1%2', 'ff02::1%2'];
    const targets = addresses.flatMap((address): Target[] => [
      { way: 'plain', protocol: 'tcp', address, port: internet.port },
      { way: 'device', protocol: 'udp', address, port: internet.port },
    ]);
    expectRefused(await reach(sandbox, targets, 'root'));
  });

  test('nor by multicast and broadcast, nor those on its loopback interface', async () => {
    const shared = ['224.0.0.251', '255.255.255.255'].flatMap((address) => everyWay(address, internet.port));
    // Its own loopback interface answers pings.
    const loopback = ['127.0.0.1', '127.0.0.53'].flatMap((address) => everyWay(address, internet.port));
    const targets = [...shared, ...loopback.filter(({ protocol }) => protocol !== 'icmp')];
    expectRefused(await reach(sandbox, targets, 'root'));
  });
});

describe(threat('an agent with a network', 'the metadata service of a cloud'), () => {
  test.each(USERS)('no link-local address can be reached, as %s', async (user) => {
    const targets = [internet.linkLocal, '169.254.169.254'].flatMap((address) =>
      everyWay(address, internet.port),
    );
    expectRefused(await reach(sandbox, targets, user));
  });
});

describe(threat('an agent that is root in its sandbox', 'the rules that keep it from the host'), () => {
  test('it cannot change them, nor go round them', async () => {
    const attempts = await run(sandbox, 'perl -', { user: 'root', stdin: Buffer.from(ATTEMPTS) });
    expect(textOf(attempts)).toBe(
      ['filter', 'route', 'address', 'device', 'raw', 'packet', 'namespace', 'sysctl']
        .map((what) => `${what}: refused\n`)
        .join(''),
    );
  });

  test('they hold after the sandbox was restarted for its tests, and so does the way to the internet', async () => {
    await neighbour.restart();
    await expectInternet(neighbour, 'root');
    await expectShielded(neighbour);
  });

  test('they are made again before anything runs where a restart was interrupted and somebody else takes over', async () => {
    await docker('network', 'disconnect', await networkOf(neighbour), neighbour.ref.id);
    await docker('restart', '--time', '0', neighbour.ref.id);
    const other = kit.makeDriver();
    const adopted = await other.adopt(neighbour.ref);
    if (adopted === null) throw new Error('it was not adopted');
    await expectInternet(adopted, 'root');
    await expectShielded(adopted);
    await other.close();
  });
});

/** What root of the machine would do: by netlink, there being no other program for it in the image. */
const ATTEMPTS = String.raw`
use strict;
sub said { print "$_[0]: ", ($_[1] ? 'allowed' : 'refused'), "\n" }
sub netlink {
  my ($protocol, $type, $flags, $content) = @_;
  socket(my $kernel, 16, 3, $protocol) or return 0;
  my $message = pack('LSSLL', 16 + length $content, $type, 5 | $flags, 1, 0) . $content;
  my $batch = $protocol == 12 ? pack('LSSLLCCn', 20, 16, 1, 0, 0, 0, 0, 10) : '';
  $batch .= $message;
  $batch .= pack('LSSLLCCn', 20, 17, 1, 2, 0, 0, 0, 10) if $protocol == 12;
  send($kernel, $batch, 0);
  recv($kernel, my $answer, 65536, 0);
  my (undef, $kind, undef, undef, undef, $error) = unpack 'LSSLLl', $answer;
  return $kind == 2 && $error == 0;
}
said filter => netlink(12, 10 << 8 | 2, 0, pack('CCn', 1, 0, 0) . pack('SSZ8', 12, 1, 'longrun'));
said route => netlink(0, 24, 0x400, pack('CCCCCCCCL', 2, 32, 0, 0, 254, 3, 253, 1, 0) . pack('SSC4SSL', 8, 1, 10, 9, 8, 6, 8, 4, 1));
said address => netlink(0, 20, 0x400, pack('CCCCL', 2, 24, 0, 0, 1) . pack('SSC4', 8, 2, 10, 9, 8, 7));
said device => netlink(0, 16, 0x400, pack('CCSlLL', 0, 0, 1, 1, 0, 1));
said raw => socket(my $raw, 2, 3, 255);
said packet => socket(my $packet, 17, 3, 8);
said namespace => system('unshare --user --net true 2> /dev/null') == 0;
said sysctl => open(my $sysctl, '>', '/proc/sys/net/ipv6/conf/all/disable_ipv6');
`;
