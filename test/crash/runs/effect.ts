import type { Pod } from '@turnsole/kube/kinds/core';

/** Something in force. */
export interface Effect {
  readonly what: string;
  /** Name of the application or engine it belongs to; undefined for what belongs to nobody in particular. */
  readonly of: string | undefined;
  /** Where it is, unless whoever reverts it need not be there. */
  readonly node: string | undefined;
  /** Nothing is known of it while the API server is away. @default whether it has no node */
  readonly inObject?: boolean;
}

/** What one look saw. */
export interface Look {
  readonly effects: readonly Effect[];
  /** False when the API server did not answer: then nothing is known of effects that are objects, and pods are as last seen. */
  readonly isComplete: boolean;
}

/** In the environment of a load: the id of its injection, which begins with the run's. */
export const LOAD_VARIABLE = 'TURNSOLE_STRESS';

/** An effect in a pod of an application. */
export function effectIn({ metadata, spec }: Pod, what: string): Effect {
  return { what: `${what} in pod ${metadata.name}`, of: metadata.labels?.app, node: spec?.nodeName };
}
