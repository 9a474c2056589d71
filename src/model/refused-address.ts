import { BlockList, isIP } from 'node:net';

/** Names under which clouds serve the metadata of their machines. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Link-local addresses, and those of metadata services elsewhere: AWS, Alibaba, Azure, Google, Oracle. */
const LISTED_IPV4 = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'];
const LISTED_IPV6 = ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'];

/** Prefixes of IPv6 under which an IPv4 address follows: compatible, NAT64, 6to4. Mapped ones the list knows by itself. */
const CARRIERS: [before: string, after: string, bits: number][] = [
  ['::', '', 96],
  ['64:ff9b::', '', 96],
  ['64:ff9b:1::', '', 96],
  ['2002:', '::', 16],
];

const REFUSED = blockList([...LISTED_IPV4, ...LISTED_IPV6, ...LISTED_IPV4.flatMap(carried)]);

/**
 * What keeps model calls from a host, in words; null = nothing does. No key and no prompt goes to what answers for the
 * machine itself, whoever names it. Of a URL it is the `hostname`, in which every spelling of an address is the same.
 */
export function refusedHost(hostname: string): string | null {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (METADATA_NAMES.has(host)) return 'the metadata service of a cloud';
  return isRefusedAddress(host) ? 'a link-local address or a metadata service' : null;
}

/** The same of an address that a name was resolved to. */
export function isRefusedAddress(address: string): boolean {
  const plain = address.split('%', 1)[0] ?? '';
  const family = isIP(plain);
  return family !== 0 && REFUSED.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

export function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), isIP(net) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

function carried(range: string): string[] {
  const [net = '', bits] = range.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = net.split('.').map(Number);
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return CARRIERS.map(([before, after, prefix]) => `${before}${groups}${after}/${prefix + Number(bits)}`);
}
