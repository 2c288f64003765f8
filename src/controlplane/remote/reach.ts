import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowedAddresses, addressRefusal } from './addresses.ts';
import { RemoteError } from './remote-error.ts';

/** A checked address, for a connection without resolving the name again. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: number;
}

/** A lookup for a request that gives the checked address, whatever the name resolves to by now. */
export function pinnedTo(checked: CheckedAddress): LookupFunction {
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [checked]);
    else callback(null, checked.address, checked.family);
  };
}

/** Resolves names; tests supply their own. */
type LookUp = (host: string) => Promise<readonly CheckedAddress[]>;

/** Allowed addresses, and the resolver. */
export interface Reach {
  readonly allowed: AllowedAddresses;
  readonly lookUp: LookUp;
}

/** Uses the resolver of this machine, which also understands forms such as `0x7f.1`. */
export const systemLookUp: LookUp = (host) => lookup(host, { all: true, verbatim: true });

/**
 * The address of a host, after checking that all of its addresses are allowed.
 *
 * @param host name or address; one of IPv6 with or without brackets
 * @throws RemoteError if there is none, or one of them is in the server's own network
 */
export async function checkedAddress(host: string, { allowed, lookUp }: Reach): Promise<CheckedAddress> {
  const name = host.replace(/^\[|\]$/g, '');
  refuseInnerHost(name, allowed);
  let found: readonly CheckedAddress[];
  try {
    found = await lookUp(name);
  } catch (cause) {
    throw new RemoteError(`the host ${name} has no address`, { cause });
  }
  if (!allowed.isHost(name)) {
    for (const { address } of found) {
      const why = addressRefusal(address, allowed);
      if (why !== undefined) throw new RemoteError(refusedText(name, address, why));
    }
  }
  const [first] = found;
  if (first === undefined) throw new RemoteError(`the host ${name} has no address`);
  return first;
}

/** Names of this machine by RFC 6761. */
const LOCAL = /(?:^|\.)localhost\.?$/i;

/**
 * Refuses a host that is in the server's own network whatever the resolver says: an address in any form that programs take, and `localhost`. Pure.
 *
 * @param host name or address; one of IPv6 with or without brackets
 * @throws RemoteError
 */
export function refuseInnerHost(host: string, allowed: AllowedAddresses): void {
  const name = host.replace(/^\[|\]$/g, '');
  if (allowed.isHost(name)) return;
  const address = LOCAL.test(name) ? '127.0.0.1' : literalOf(name);
  const why = address === undefined ? undefined : addressRefusal(address, allowed);
  if (address !== undefined && why !== undefined) throw new RemoteError(refusedText(name, address, why));
}

/** The address that a host is by itself, also of forms such as `0x7f.1`, which a URL normalises. */
function literalOf(name: string): string | undefined {
  const url = `http://${isIP(name) === 6 ? `[${name}]` : name}/`;
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
  return isIP(host) === 0 ? undefined : host;
}

function refusedText(name: string, address: string, why: string): string {
  const what = name === address ? name : `${name} (${address})`;
  return `${what} is refused: the address is ${why}. The operator of this server can allow it by the setting REMOTE_ALLOWED_ADDRESSES`;
}
