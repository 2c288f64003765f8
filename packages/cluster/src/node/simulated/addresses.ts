/**
 * Addresses of simulated nodes and pods: they have no network, so they only have to be different. Nodes are in
 * 10.64.0.0/16, pods in 10.128.0.0/9, the least recently used first.
 */
export class SimulatedAddresses {
  readonly podCidr = '10.128.0.0/9';
  readonly #taken = new Set<number>();
  #next = 1;

  /** Address of the n-th node, from 1. */
  static node(node: number): string {
    return `10.64.${(node >> 8) & 255}.${node & 255}`;
  }

  /** A free address. @throws RangeError when all eight million are taken */
  lease(): string {
    const size = 2 ** 23;
    for (let tried = 0; tried < size; tried++) {
      const number = this.#next;
      this.#next = (this.#next + 1) % size;
      const last = number & 255;
      if (last === 0 || last === 255 || this.#taken.has(number)) continue;
      this.#taken.add(number);
      return `10.${128 + (number >> 16)}.${(number >> 8) & 255}.${last}`;
    }
    throw new RangeError(`no pod address left in ${this.podCidr}: delete pods`);
  }

  /** Gives an address back; one that was never leased does nothing. */
  release(address: string): void {
    const [, second = 0, third = 0, last = 0] = address.split('.').map(Number);
    this.#taken.delete(((second - 128) << 16) | (third << 8) | last);
  }
}
