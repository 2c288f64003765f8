import { useMemo, useRef, useSyncExternalStore } from 'react';
import { lanesOfStep, stepsAt } from '../../models/run/selection.ts';
import type { AxisPlace } from '../../parts/timeline/state.ts';

const NOTHING: ReadonlySet<number> = new Set();

/**
 * What the pointer or the focus lights: a step in list or graph with its lanes on the axis, a place on the axis with its steps. It is in no
 * link and in no state of a view: a pointer that moves draws anew what is lit, not the page.
 */
export class Lighting {
  readonly #run: () => Parameters<typeof stepsAt>[0];
  readonly #listeners = new Set<() => void>();
  #steps = NOTHING;
  #lanes = NOTHING;

  /** @param run what is shown now */
  constructor(run: () => Parameters<typeof stepsAt>[0]) {
    this.#run = run;
  }

  /** Numbers of the lanes that are lit. */
  get lanes(): ReadonlySet<number> {
    return this.#lanes;
  }

  isLit(step: string): boolean {
    return [...this.#steps].some((index) => this.#run().steps[index]?.id === step);
  }

  /** Lights the lanes of a step, by its ID; nothing when there is none. */
  readonly lightStep = (step: string | undefined): void => {
    const index = step === undefined ? -1 : this.#run().steps.findIndex(({ id }) => id === step);
    this.#light(
      index < 0 ? NOTHING : new Set([index]),
      index < 0 ? NOTHING : lanesOfStep(this.#run(), index),
    );
  };

  /** Lights the steps of a place on the axis. */
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

/** The lighting of a run, the same one while the view is there. */
export function useLighting(run: Parameters<typeof stepsAt>[0]): Lighting {
  const latest = useRef(run);
  latest.current = run;
  return useMemo(() => new Lighting(() => latest.current), []);
}

const NEVER = (): (() => void) => () => undefined;

/** Whether a step is lit now, by its ID; never where steps have no axis beside them. */
export function useIsLit(lighting: Lighting | undefined, step: string): boolean {
  return useSyncExternalStore(lighting?.subscribe ?? NEVER, () => lighting?.isLit(step) ?? false);
}
