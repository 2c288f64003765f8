import type { ProbeFinding } from '../../probes/outcome.ts';

/** Passes on what probes find between the look at the steady state and the fault. */
export class UnsteadyBell {
  #listener: ((finding: ProbeFinding) => void) | undefined;

  ring(finding: ProbeFinding): void {
    this.#listener?.(finding);
  }

  /** @returns ends that */
  listen(listener: (finding: ProbeFinding) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }
}
