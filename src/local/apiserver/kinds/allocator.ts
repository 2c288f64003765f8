/** Addresses and ports that services get. */

/** A block of IPv4 addresses: `10.96.0.0/16`. */
export class AddressBlock {
  readonly cidr: string;
  readonly #base: number;
  readonly #size: number;
  #next = 1;

  /** Throws when the text is no IPv4 block with room for services. */
  constructor(cidr: string) {
    this.cidr = cidr;
    const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
    const bits = Number(match?.[5] ?? 33);
    if (match === null || bits > 30 || bits < 8) {
      throw new Error(
        `service block ${JSON.stringify(cidr)} is no IPv4 block between /8 and /30, such as 10.96.0.0/16`,
      );
    }
    const address = match.slice(1, 5).reduce((sum, part) => sum * 256 + Number(part), 0);
    this.#size = 2 ** (32 - bits);
    this.#base = address - (address % this.#size);
  }

  /** The first address, which the API server's own service has. */
  get first(): string {
    return format(this.#base + 1);
  }

  contains(address: string): boolean {
    const number = parse(address);
    return number !== undefined && number > this.#base && number < this.#base + this.#size - 1;
  }

  /** The next address that is not taken; undefined when the block is full. */
  next(isTaken: (address: string) => boolean): string | undefined {
    for (let tries = 0; tries < this.#size; tries += 1) {
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      const address = format(this.#base + this.#next);
      if (!isTaken(address)) return address;
    }
    return undefined;
  }
}

function format(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

function parse(address: string): number | undefined {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255))
    return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
