import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Link-local, and the address at which Amazon serves the credentials of a machine over IPv6. */
const OF_MACHINES = new BlockList();
OF_MACHINES.addSubnet('169.254.0.0', 16);
OF_MACHINES.addSubnet('fe80::', 10, 'ipv6');
OF_MACHINES.addAddress('fd00:ec2::254', 'ipv6');

/** Whether an address is one at which clouds serve metadata and credentials to machines, and never one of an application. Pure. */
export function isMachineAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && OF_MACHINES.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Looks names up as Node does, and gives only addresses that are not refused. The connection goes to an address that was checked, so that
 * no name leads elsewhere. Literal addresses are not looked up: the caller checks them.
 *
 * @param refuse the error for an address of a host; undefined if requests may go there
 */
export function guardedLookup(refuse: (address: string, host: string) => Error | undefined): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const judged = found.map((one) => ({ ...one, refusal: refuse(one.address, host) }));
      const allowed = judged
        .filter(({ refusal }) => refusal === undefined)
        .map(({ address, family }) => ({ address, family }));
      const [first] = allowed;
      if (first === undefined) return callback(judged[0]?.refusal ?? new Error(`${host} has no address`), []);
      if (options.all === true) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}
