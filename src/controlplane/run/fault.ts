import type { ProbeReference } from '../probe/references.ts';

/** Weight of a fault in the score of a run. */
export interface WeighedFault {
  /** Prefix of its engines' names. */
  readonly name: string;
  readonly weight: number;
}

/** A fault of an experiment's revision, for the scores and verdicts of its runs. */
export interface Fault extends WeighedFault {
  /** `generateName` of its engine; of an engine or schedule without a workflow, the name of its first experiment. */
  readonly name: string;
  /** Of the step that creates its engine; empty without a workflow. Users and clients use any of the three names for a fault. */
  readonly artifact: string;
  readonly template: string;
  readonly probes: readonly ProbeReference[];
}

/** Whether a name means this fault. Pure. */
export function isFaultNamed({ name, artifact, template }: Fault, wanted: string): boolean {
  return wanted !== '' && (wanted === artifact || wanted === template || wanted === name);
}
