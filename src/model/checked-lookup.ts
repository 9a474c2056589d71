import { lookup as lookupAll } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { badInput } from '../core/errors.js';

/** The addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

/**
 * A name is resolved once, its addresses are checked, and the checked ones are what is connected to: a second answer
 * could differ. `refusal`: the error for an address that must not be connected to, null for any other.
 */
export function checkedLookup(
  refusal: (host: string, address: string) => Error | null,
  resolve: Resolve = systemAddresses,
): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      (addresses) => {
        for (const address of addresses) {
          const refused = refusal(host, address);
          if (refused !== null) return callback(refused, '', 0);
        }
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) callback(badInput(`${host} has no address`), '', 0);
        else if (all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, '', 0),
    );
  };
}

const systemAddresses: Resolve = async (host) =>
  (await lookupAll(host, { all: true })).map(({ address }) => address);
