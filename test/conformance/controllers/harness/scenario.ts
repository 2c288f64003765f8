import type { Lab } from './lab.ts';

/** A sequence of deeds in a namespace of its own, whose outcome is compared. */
export interface ControllerScenario {
  readonly name: string;
  /** Runs alone, after all others: it changes what the others stand on, such as the node. */
  readonly alone?: boolean;
  /** Takes longer than the everyday suite has time for: `npm run conformance:controllers:long`. */
  readonly slow?: boolean;
  run(lab: Lab): Promise<void>;
}

/** Scenarios about one thing; their outcomes are recorded in one file. */
export interface ControllerTheme {
  readonly theme: string;
  readonly scenarios: readonly ControllerScenario[];
}

/** What a scenario showed at one point: objects as they were, normalised. */
export interface Shown {
  readonly step: string;
  readonly shown: unknown;
}

/** The namespace of a scenario. */
export function namespaceOf({ name }: ControllerScenario): string {
  return `cc-${name}`;
}
