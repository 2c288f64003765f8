/** Addresses and ports that services get. */
import { formatIPv4, parseIPv4 } from '../../base/ipv4.ts';

/** A block of IPv4 addresses: `10.96.0.0/16`. */
export class ServiceAddresses {
  readonly cidr: string;
  readonly #base: number;
  readonly #size: number;
  #next = 1;

  /** Throws when the text is no IPv4 block with room for services. */
  constructor(cidr: string) {
    this.cidr = cidr;
    const match = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(cidr);
    const address = parseIPv4(match?.[1] ?? '');
    const bits = Number(match?.[2]);
    if (Number.isNaN(address) || bits > 30 || bits < 8) {
      throw new Error(
        `service block ${JSON.stringify(cidr)} is no IPv4 block between /8 and /30, such as 10.96.0.0/16`,
      );
    }
    this.#size = 2 ** (32 - bits);
    this.#base = address - (address % this.#size);
  }

  /** The first address, which the API server's own service has. */
  get first(): string {
    return formatIPv4(this.#base + 1);
  }

  contains(address: string): boolean {
    const number = parseIPv4(address);
    return number > this.#base && number < this.#base + this.#size - 1;
  }

  /** The next address that is not taken; undefined when the block is full. */
  next(isTaken: (address: string) => boolean): string | undefined {
    for (let tries = 0; tries < this.#size; tries += 1) {
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      const address = formatIPv4(this.#base + this.#next);
      if (!isTaken(address)) return address;
    }
    return undefined;
  }
}
