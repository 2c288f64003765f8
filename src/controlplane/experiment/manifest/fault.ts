import type { ProbeReference } from '../../probe/references.ts';

/** A fault of an experiment's revision: what its runs are scored and judged by. */
export interface Fault {
  /** `generateName` of its engine; of an engine or schedule without a workflow, the name of its first experiment. */
  readonly name: string;
  readonly weight: number;
  /** Of the step that makes its engine; empty where there is no workflow. People and clients call a fault by any of the three names. */
  readonly artifact: string;
  readonly template: string;
  readonly probes: readonly ProbeReference[];
}
