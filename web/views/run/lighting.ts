import { useMemo, useRef, useSyncExternalStore } from 'react';
import { lanesOfStep, stepsAt } from '../../models/run/selection.ts';
import type { AxisPlace } from '../../parts/timeline/state.ts';

const NOTHING: ReadonlySet<number> = new Set();

/**
 * Highlights for the pointer or the focus: a step in list or graph with its lanes on the axis, a place on the axis with its steps. Not part
 * of links or of a view's state, so that moving the pointer redraws only the highlights, not the page.
 */
export class Lighting {
  readonly #run: () => Parameters<typeof stepsAt>[0];
  readonly #listeners = new Set<() => void>();
  #steps = NOTHING;
  #lanes = NOTHING;

  /** @param run the current run */
  constructor(run: () => Parameters<typeof stepsAt>[0]) {
    this.#run = run;
  }

  /** Numbers of the highlighted lanes. */
  get lanes(): ReadonlySet<number> {
    return this.#lanes;
  }

  isLit(step: string): boolean {
    return [...this.#steps].some((index) => this.#run().steps[index]?.id === step);
  }

  /** Highlights the lanes of a step, by its ID; nothing without one. */
  readonly lightStep = (step: string | undefined): void => {
    const index = step === undefined ? -1 : this.#run().steps.findIndex(({ id }) => id === step);
    this.#light(
      index < 0 ? NOTHING : new Set([index]),
      index < 0 ? NOTHING : lanesOfStep(this.#run(), index),
    );
  };

  /** Highlights the steps of a place on the axis. */
  readonly lightPlace = (place: AxisPlace | undefined): void => {
    this.#light(place === undefined ? NOTHING : stepsAt(this.#run(), place), NOTHING);
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #light(steps: ReadonlySet<number>, lanes: ReadonlySet<number>): void {
    [this.#steps, this.#lanes] = [steps, lanes];
    for (const listener of this.#listeners) listener();
  }
}

/** The lighting of a run, the same one while the view is mounted. */
export function useLighting(run: Parameters<typeof stepsAt>[0]): Lighting {
  const latest = useRef(run);
  latest.current = run;
  return useMemo(() => new Lighting(() => latest.current), []);
}

const NEVER = (): (() => void) => () => undefined;

/** Whether a step is highlighted, by its ID; never without an axis beside the steps. */
export function useIsLit(lighting: Lighting | undefined, step: string): boolean {
  return useSyncExternalStore(lighting?.subscribe ?? NEVER, () => lighting?.isLit(step) ?? false);
}
