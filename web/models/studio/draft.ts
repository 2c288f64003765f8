import type { Json } from './json.ts';

/** Which pods or nodes a fault is for. */
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
  /** When it is tried while its fault runs: `SOT`, `EOT`, `Edge`, `Continuous` or `OnChaos`. */
  readonly mode: string;
}

/** A fault as an experiment has it. */
export interface Fault {
  readonly name: string;
  readonly description: string;
  /** The resource of kind ChaosExperiment, as it is installed; empty where the manifest does not install it. */
  readonly resource: Json;
  /** Settings with their defaults, in the order of the resource. */
  readonly defaults: ReadonlyMap<string, string>;
  /** Whether it is for the pods of an application, and so has a target. */
  readonly hasTarget: boolean;
}

/** A fault as a hub has it. */
export interface HubFault extends Fault {
  /** What the hub's own engine sets instead of the defaults. */
  readonly suggested: ReadonlyMap<string, string>;
}

/** One fault of an experiment. */
export interface Step {
  /** Unique in the experiment; its template has this name. */
  readonly name: string;
  readonly fault: Fault;
  readonly target: Target;
  /** By name: those that the fault declares, and those that the engine sets. */
  readonly settings: Readonly<Record<string, string>>;
  readonly probes: readonly ProbeReference[];
  /** What it counts for in the score, 0 to 10. */
  readonly weight: number;
  /** Begins together with the step before it. */
  readonly isParallel: boolean;
}

/** An experiment while it is made: what the form knows of it. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  /** The infrastructure that it runs on; empty while none is chosen. */
  readonly infraID: string;
  /** Where the agent of that infrastructure runs engines. */
  readonly agentNamespace: string;
  /** A cron expression; empty when it runs on demand. */
  readonly cron: string;
  /** A name like `Europe/Berlin`; empty for that of the cluster. */
  readonly timezone: string;
  readonly steps: readonly Step[];
}

/** What of an experiment stands beside its manifest. */
export type About = Pick<Draft, 'description' | 'infraID'>;

/** A draft of nothing. */
export const EMPTY_DRAFT: Draft = {
  name: '',
  description: '',
  infraID: '',
  agentNamespace: 'litmus',
  cron: '',
  timezone: '',
  steps: [],
};
