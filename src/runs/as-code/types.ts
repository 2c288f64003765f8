/** Types of what code gives: texts carry their units. */

/** A time with its unit: `'250ms'`, `'15s'`, `'1m30s'`, `'2h'`. */
export type Duration =
  | `${number}ms`
  | `${number}s`
  | `${number}m`
  | `${number}h`
  | `${number}m${number}s`
  | `${number}h${number}m`
  | `${number}h${number}m${number}s`;

/** A share: `'30%'`. */
export type Percentage = `${number}%`;

/** A share, or a range from which one is drawn when the run begins: `'30%'`, `'30-50%'`. */
export type PercentageRange = Percentage | `${number}-${number}%`;

/** An amount of memory or of a disk: `'64Mi'`, `'2Gi'`. */
export type Size = `${number}${'Ki' | 'Mi' | 'Gi' | 'Ti'}`;

/** A number, or a range from which one is drawn when the run begins: `3`, `'2-5'`. */
export type NumberRange = number | `${number}-${number}`;

/** Kinds of workloads whose pods can be hit. */
export type WorkloadKind = 'deployment' | 'statefulset' | 'daemonset' | 'deploymentconfig' | 'rollout';

/** Pods that are hit: by the labels or names of their workloads, or by their own names. */
export type TargetSelector =
  | {
      readonly kind: WorkloadKind;
      /** A label selector, such as `app=web`. */
      readonly labels: string;
      /** @default the namespace of the experiment */
      readonly namespace?: string;
    }
  | {
      readonly kind: WorkloadKind | 'pod';
      readonly name: string | readonly string[];
      /** @default the namespace of the experiment */
      readonly namespace?: string;
    };

/** What a fault hits: `'deployment/web'`, `'pod/web-1'`, or a selector. */
export type Target = `${WorkloadKind | 'pod'}/${string}` | TargetSelector;

/** How a measured value is compared: numbers by the signs, texts by the words. */
export type Criteria =
  | '>='
  | '<='
  | '>'
  | '<'
  | '=='
  | '!='
  | 'between'
  | 'oneOf'
  | 'equal'
  | 'notEqual'
  | 'contains'
  | 'matches'
  | 'notMatches';

/**
 * When a probe measures. SOT: once before the fault; EOT: once after it is reverted; Edge: both; Continuous: again and again, from before the
 * fault until after it; OnChaos: again and again while it is in force.
 */
export type ProbeMode = 'SOT' | 'EOT' | 'Edge' | 'Continuous' | 'OnChaos';

/** How the measurements of a probe may go wrong; it fails when a limit is exceeded. Without it nothing may fail. */
export interface Tolerance {
  /** Largest share of the measurements that may fail. */
  readonly failed?: Percentage;
  /** Longest time from the first measurement that fails to the next that succeeds. */
  readonly outage?: Duration;
  /** Highest median latency while the fault is in force. */
  readonly p50?: Duration;
  /** Highest 95th percentile of the latencies while the fault is in force. */
  readonly p95?: Duration;
  /** Highest 99th percentile of the latencies while the fault is in force. */
  readonly p99?: Duration;
  /** Highest latency while the fault is in force. */
  readonly max?: Duration;
}

/** What every probe has. */
export interface ProbeOptions {
  /** Results refer to the probe by it. */
  readonly name: string;
  /** @default 'Continuous' */
  readonly mode?: ProbeMode;
  /** Time from one measurement of a Continuous or OnChaos probe to the next. @default '1s' */
  readonly every?: Duration;
  /** Longest time that one attempt may take. @default '5s' */
  readonly timeout?: Duration;
  /** Attempts of one measurement; the first that passes ends it. @default 1 */
  readonly attempts?: number;
  /** Pause between two attempts of one measurement. @default none */
  readonly pause?: Duration;
  /** Pause before the first measurement. @default none */
  readonly initialDelay?: Duration;
  /** Ends the experiment when the probe fails, with verdict Stopped. @default false */
  readonly stopOnFailure?: boolean;
  /** For Continuous and OnChaos probes. @default nothing may fail */
  readonly tolerance?: Tolerance;
}

declare const PROBE: unique symbol;

/** A probe, made by a builder such as `httpProbe`. It is the entry of `spec.experiments[].spec.probe` that says the same. */
export interface Probe {
  readonly [PROBE]?: never;
  readonly name: string;
  readonly type: string;
  readonly mode: ProbeMode;
  readonly [field: string]: unknown;
}

/** What every fault has beside its settings. */
export interface FaultOptions {
  /** What is measured before, while and after the fault is in force, and decides the verdict. @default nothing: the fault alone decides */
  readonly probes?: readonly Probe[];
  /** Name of the experiment and of its ChaosEngine. @default the name of the fault */
  readonly name?: string;
}

/** What faults of applications have: pods or workloads that they hit. */
export interface TargetedFaultOptions extends FaultOptions {
  /** The pods or workloads that are hit; of several targets all of them together. */
  readonly target: Target | readonly Target[];
}

/** What stands in a manifest beside the engine. */
export interface ManifestOptions {
  /** Namespace of objects, and of targets that name none. @default that of the experiment, else default */
  readonly namespace?: string;
  /** The service account of the engine with its roles. @default false */
  readonly account?: boolean;
  /** The ChaosExperiments that the engine names. @default false */
  readonly experiments?: boolean;
  /** Image of the ChaosExperiments. @default turnsole/turnsole with the version of this package */
  readonly image?: string;
}

/**
 * Chaos that can be planned and run: made by a builder such as `podDelete`, by `experiment` of several faults, or of a manifest by
 * `fromManifest`. It does not change, and may be run any number of times.
 */
export interface Experiment {
  /** Its name, which is that of its ChaosEngine; of a manifest the title that was given for it. */
  readonly name: string;
  /** The namespace that it asks for; undefined where the run decides. */
  readonly namespace: string | undefined;
  /**
   * The manifest (YAML) that says the same: the ChaosEngine, and where it is wanted its account with roles and the ChaosExperiments. Of an
   * experiment that was made of a manifest that manifest, as it is.
   */
  toManifest(options?: ManifestOptions): string;
}

/** An experiment of several faults, or with settings of the whole run. */
export interface ExperimentOptions {
  /** Name of the experiment and of its ChaosEngine. */
  readonly name: string;
  /** Made by the builders of faults; those that hit an application have the same targets. Each fault is there once. */
  readonly faults: readonly Experiment[];
  /** Namespace of the engine and of targets that name none. @default that of the run */
  readonly namespace?: string;
  /** An account of the namespace that has the permissions. @default one is made for the run, and removed after it */
  readonly serviceAccount?: string;
  /** @default 'sequential' */
  readonly order?: 'sequential' | 'parallel' | 'random';
  /** With order parallel: how many faults are in force at the same time at most. @default all */
  readonly maxParallel?: number;
  /** With order random: the same seed gives the same order. @default the order differs from run to run */
  readonly seed?: number | string;
  /** How many times the whole list is run. @default 1 */
  readonly iterations?: number;
  /** Least time from the start of one iteration to that of the next. @default none */
  readonly minInterval?: Duration;
  /** What becomes of faults that have not started when one ends with another verdict than Pass. @default 'continue' */
  readonly onFailure?: 'continue' | 'stop';
  /** Targets are resolved and permissions checked, and nothing is injected; the verdict is N/A. @default false */
  readonly dryRun?: boolean;
  /** What happens when a probe does not hold right before the fault: nothing is injected, or the fault is all the same. @default 'require' */
  readonly steadyState?: 'require' | 'ignore';
  /** The verdict is Fail when the fault is known to have had no effect on any target, and Error when no effect is known. @default false */
  readonly requireEffect?: boolean;
  /** Share of its time for which a held fault has to be in force on its targets; below it no run passes. @default '90%' */
  readonly minimumCoverage?: Percentage;
}
