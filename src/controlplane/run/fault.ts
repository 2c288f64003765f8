import type { ProbeReference } from '../probe/references.ts';

/** What a fault counts in the score of a run. */
export interface WeighedFault {
  /** The beginning of its engines' names. */
  readonly name: string;
  readonly weight: number;
}

/** A fault of an experiment's revision: what its runs are scored and judged by. */
export interface Fault extends WeighedFault {
  /** `generateName` of its engine; of an engine or schedule without a workflow, the name of its first experiment. */
  readonly name: string;
  /** Of the step that makes its engine; empty where there is no workflow. People and clients call a fault by any of the three names. */
  readonly artifact: string;
  readonly template: string;
  readonly probes: readonly ProbeReference[];
}

/** Whether a client means this fault. Pure. */
export function isFaultNamed({ name, artifact, template }: Fault, wanted: string): boolean {
  return wanted !== '' && (wanted === artifact || wanted === template || wanted === name);
}
