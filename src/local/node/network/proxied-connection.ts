import type { Socket } from 'node:net';

/**
 * A connection of a client to a backend: passes bytes, ends and failures of each side to the other. While it is cut, it passes nothing,
 * and neither side is told: as if their packets were dropped.
 */
export class ProxiedConnection {
  readonly #ends: readonly (readonly [from: Socket, to: Socket])[];
  #isCut = false;

  constructor(client: Socket, upstream: Socket) {
    this.#ends = [
      [client, upstream],
      [upstream, client],
    ];
    for (const [from, to] of this.#ends) {
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => {
        if (!from.readableEnded) to.destroy();
      });
      from.pipe(to);
    }
  }

  /** Cuts it, or mends it again. */
  cut(isCut: boolean): void {
    if (isCut === this.#isCut) return;
    this.#isCut = isCut;
    for (const [from, to] of this.#ends) {
      if (isCut) {
        from.unpipe(to);
        from.pause();
      } else from.pipe(to);
    }
  }
}
