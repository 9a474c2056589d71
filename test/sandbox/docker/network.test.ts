import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { threat } from '../../support/threat.js';
import { run, textOf } from '../conformance/kit.js';
import { docker, dockerKit } from './kit.js';
import { Internet } from './support/internet.js';
import { everyWay, reach, type Target } from './support/reach.js';

const kit = dockerKit();
const PORT = 7_000;
const USERS = ['root', 'nobody'];

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
afterAll(() => internet?.close());

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

/** Nothing answers, and nobody has to wait to find out. */
function expectRefused(outcomes: Record<string, string>): void {
  const answered = Object.entries(outcomes).filter(([, how]) => /answered|in time/.test(how));
  expect(Object.fromEntries(answered)).toEqual({});
}

const ofThisMachine = (family: 'IPv4' | 'IPv6') =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter((found) => found.family === family && !found.internal)
    .map(({ address }) => address);

test('a sandbox with a network reaches the internet, by address and by name', async () => {
  for (const user of USERS) {
    const outcomes = await reach(sandbox, everyWay(internet.address, internet.port).slice(0, 3), user);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['answered']));
  }
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
    const { gateway } = await addressOf(neighbour);
    const outcomes = await reach(neighbour, everyWay(internet.address, internet.port).slice(0, 3), 'root');
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['answered']));
    const refused = [gateway, internet.hostAddress, internet.linkLocal, (await addressOf(sandbox)).address];
    expectRefused(
      await reach(
        neighbour,
        refused.flatMap((address) => everyWay(address, internet.port)),
        'root',
      ),
    );
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
