import type { Json } from '../json/json.ts';

/** Selects the pods or nodes for a fault. */
export interface Target {
  readonly namespace: string;
  /** In the singular, as engines have it: `deployment`. */
  readonly kind: string;
  /** `key=value` */
  readonly label: string;
}

/** A probe of the project that a step refers to. */
export interface ProbeReference {
  readonly name: string;
  /** Its mode: `SOT`, `EOT`, `Edge`, `Continuous` or `OnChaos`. */
  readonly mode: string;
}

/** A fault of an experiment. */
export interface Fault {
  readonly name: string;
  readonly description: string;
  /** The installed resource of kind ChaosExperiment; empty if the manifest does not install it. */
  readonly resource: Json;
  /** Settings with their defaults, in the order of the resource. */
  readonly defaults: ReadonlyMap<string, string>;
  /** Whether it targets the pods of an application. */
  readonly hasTarget: boolean;
}

/** A fault of a hub. */
export interface HubFault extends Fault {
  /** Settings of the hub's own engine that differ from the defaults. */
  readonly suggested: ReadonlyMap<string, string>;
}

/** One fault of an experiment. */
export interface Step {
  /** Unique in the experiment; its template has this name. */
  readonly name: string;
  readonly fault: Fault;
  readonly target: Target;
  /** By name: the declared settings of the fault, and those that the engine sets. */
  readonly settings: Readonly<Record<string, string>>;
  readonly probes: readonly ProbeReference[];
  /** Weight in the score, 0 to 10. */
  readonly weight: number;
  /** Whether it begins together with the previous step. */
  readonly isParallel: boolean;
}

/** An experiment during editing: the fields of the form. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  /** The infrastructure that it runs on; empty while none is chosen. */
  readonly infraID: string;
  /** Namespace in which the agent of that infrastructure runs engines. */
  readonly agentNamespace: string;
  /** A cron expression; empty when it runs on demand. */
  readonly cron: string;
  /** A name like `Europe/Berlin`; empty for that of the cluster. */
  readonly timezone: string;
  readonly steps: readonly Step[];
}

/** Fields of an experiment outside of its manifest. */
export type About = Pick<Draft, 'description' | 'infraID'>;

/** An empty draft. */
export const EMPTY_DRAFT: Draft = {
  name: '',
  description: '',
  infraID: '',
  agentNamespace: 'litmus',
  cron: '',
  timezone: '',
  steps: [],
};
