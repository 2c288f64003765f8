/** Everybody else waits for so long at most. */
const TURN_MS = 10;

/**
 * Keeps long work from holding up the server: the work asks between its steps, and lets others have their turn when its own is
 * spent. By the real clock, as it is the real processor that others wait for.
 */
export class TurnBudget {
  #endsAtMs = performance.now() + TURN_MS;

  get isSpent(): boolean {
    return performance.now() >= this.#endsAtMs;
  }

  /** Resolves when everything that waited has had its turn. */
  async next(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#endsAtMs = performance.now() + TURN_MS;
  }
}
