import { describe, expect, test } from 'vitest';
import { addressRange, mergedRanges } from '../../../src/sandbox/docker/network/address-ranges.js';
import { readAddresses } from '../../../src/sandbox/docker/network/host-addresses.js';

const range = (prefix: string) => {
  const found = addressRange(prefix);
  if (found === null) throw new Error(`no address: ${prefix}`);
  return found;
};

describe('addresses that sandboxes may not reach', () => {
  test('are whole prefixes, from the lowest to the highest address', () => {
    expect(range('192.0.2.77')).toEqual({ first: 0xc000024d, last: 0xc000024d });
    expect(range('192.0.2.77/24')).toEqual({ first: 0xc0000200, last: 0xc00002ff });
    expect(range('224.0.0.0/3')).toEqual({ first: 0xe0000000, last: 0xffffffff });
    expect(range('0.0.0.0/0')).toEqual({ first: 0, last: 0xffffffff });
  });

  test.each(['', 'fe80::1', '1.2.3', '1.2.3.256', '1.2.3.4/33', 'x1.2.3.4'])('are none of: "%s"', (text) => {
    expect(addressRange(text)).toBeNull();
  });

  test('are listed once, in order, where prefixes overlap or touch', () => {
    const ranges = ['10.0.1.0/24', '10.0.0.0/24', '10.0.1.7', '172.17.0.1', '10.0.2.1'].map(range);
    expect(mergedRanges(ranges)).toEqual([
      { first: range('10.0.0.0').first, last: range('10.0.1.255').last },
      range('10.0.2.1'),
      range('172.17.0.1'),
    ]);
    expect(mergedRanges([range('0.0.0.0/0'), ...ranges])).toEqual([range('0.0.0.0/0')]);
  });

  test('come from the engine’s machine, with the name servers that it asks over a network', () => {
    const printed = [
      ...['address 127.0.0.0/8', 'address 192.0.2.2/32', 'nameserver 127.0.0.53', 'nameserver fd00::53'],
      ...['nameserver 192.0.2.53', 'nonsense', 'done'],
    ].join('\n');
    expect(readAddresses(printed)).toEqual({
      addresses: [range('127.0.0.0/8'), range('192.0.2.2')],
      nameservers: [range('192.0.2.53')],
    });
  });
});
