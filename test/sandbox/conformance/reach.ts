import { networkInterfaces } from 'node:os';
import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { run, textOf } from './kit.js';

/**
 * How a packet is sent: as everybody does; by a socket bound to the network's device, or told to use no gateway, which
 * both pass over what routing says and take no privilege.
 */
export type Way = 'plain' | 'device' | 'direct';
export type Protocol = 'tcp' | 'udp' | 'icmp';
export interface Target {
  way: Way;
  protocol: Protocol;
  address: string;
  port: number;
}

export const WAYS: readonly Way[] = ['plain', 'device', 'direct'];
export const PROTOCOLS: readonly Protocol[] = ['tcp', 'udp', 'icmp'];

/** Every way to one address. */
export function everyWay(address: string, port: number): Target[] {
  return WAYS.flatMap((way) => PROTOCOLS.map((protocol) => ({ way, protocol, address, port })));
}

/** Nothing answered, and nobody had to wait to find out. */
export function expectRefused(outcomes: Record<string, string>): void {
  const answered = Object.entries(outcomes).filter(([, how]) => /answered|in time/.test(how));
  expect(Object.fromEntries(answered)).toEqual({});
}

export const ofThisMachine = (family: 'IPv4' | 'IPv6'): string[] =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter((found) => found.family === family && !found.internal)
    .map(({ address }) => address);

/** Tries each target from inside and answers, by target, `answered` or why not. */
export async function reach(
  sandbox: Sandbox,
  targets: readonly Target[],
  user: string | null = null,
): Promise<Record<string, string>> {
  const args = targets.map(({ way, protocol, address, port }) => `${way},${protocol},${address},${port}`);
  const stdin = Buffer.from(PROBE);
  const result = await run(sandbox, `perl - ${args.join(' ')}`, { user, stdin, timeoutMs: 110_000 });
  const lines = textOf(result).trim().split('\n');
  if (lines.length !== targets.length) throw new Error(`the probe says: ${textOf(result)}`);
  return Object.fromEntries(lines.map((line) => line.split(' = ') as [string, string]));
}

const PROBE = String.raw`
use strict;
use Socket qw(:all);
$| = 1;
print "$_ = ", outcome(split /,/), "\n" for @ARGV;

sub outcome {
  my ($way, $protocol, $address, $port) = @_;
  my ($host, $scope) = split /%/, $address;
  my $family = $host =~ /:/ ? AF_INET6 : AF_INET;
  my $type = $protocol eq 'tcp' ? SOCK_STREAM : SOCK_DGRAM;
  socket(my $socket, $family, $type, $protocol eq 'icmp' ? 1 : 0) or return "no socket: $!";
  if ($way eq 'device') { setsockopt($socket, SOL_SOCKET, 25, "eth0\0") or return "not bound: $!"; }
  if ($way eq 'direct') { setsockopt($socket, SOL_SOCKET, 5, pack 'i', 1) or return "not direct: $!"; }
  my $to = $family == AF_INET6
    ? pack_sockaddr_in6($port, inet_pton(AF_INET6, $host), $scope // 0)
    : pack_sockaddr_in($port, inet_aton($host));
  local $SIG{ALRM} = sub { die "no answer in time\n" };
  my $reached = eval {
    alarm 5;
    connect($socket, $to) or die "$!\n";
    if ($protocol ne 'tcp') {
      my $ping = pack('CCnnn', 8, 0, 0, 1, 1);
      defined syswrite($socket, $protocol eq 'icmp' ? $ping : "hello\n") or die "$!\n";
    }
    sysread($socket, my $answer, 100) or die "$!\n";
    1;
  };
  my $why = $@;
  alarm 0;
  chomp $why;
  return $reached ? 'answered' : $why;
}
`;
