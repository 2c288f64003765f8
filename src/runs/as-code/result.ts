/** What a run of chaos gives. */
import type { Coverage, Measured, ProbeSummary, WorkloadReadiness } from './generated/measurements.ts';
import type { ProbeMode } from './types.ts';

/** The judgement: N/A of a dry run, and of faults that were never begun. */
export type Verdict = 'Pass' | 'Fail' | 'Error' | 'Stopped' | 'N/A';

/** How one probe did. */
export interface ProbeResult {
  readonly name: string;
  /** `httpProbe` and the like. */
  readonly type: string;
  readonly mode: ProbeMode;
  /** N/A where it could not be judged. */
  readonly verdict: 'Passed' | 'Failed' | 'N/A' | 'Awaited';
  /** What was measured and what was expected, as a sentence. */
  readonly description?: string;
  /** What a probe that measures again and again found before, while and after the fault was in force. */
  readonly summary?: ProbeSummary;
  /** The numbers that it measured. */
  readonly measured?: Measured;
}

/** One injection of a fault into one target. */
export interface InjectionResult {
  readonly fault: string;
  readonly target: {
    /** In lower case: `pod`, `node`, `deployment`. */
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly container?: string;
    readonly node?: string;
  };
  /** `reverted` and `done` are over; `planned` and `injected` may be in force still. */
  readonly state: 'planned' | 'injected' | 'reverted' | 'done' | 'failed';
  /** RFC 3339. */
  readonly injectedAt?: string;
  /** RFC 3339. */
  readonly revertedAt?: string;
  /** When a held fault was in force on its target; RFC 3339. */
  readonly inForce?: readonly { readonly from: string; readonly to?: string; readonly ended?: string }[];
  /** Its effect, where that is known. */
  readonly effect?: { readonly seen: boolean; readonly message: string; readonly share?: number };
  readonly message?: string;
}

/** A step of a run. */
export interface TimelineStep {
  /** RFC 3339 with milliseconds. */
  readonly time: string;
  /** `operator`, `runner`, `experiment/<name>`, `helper/<pod>`, `probe/<name>`. */
  readonly actor: string;
  /** One word: `ChaosStarted`, `Injected`, `Reverted`, `Verdict`. */
  readonly step: string;
  /** `<kind>/<namespace>/<name>` of the object acted on. */
  readonly object?: string;
  /** A sentence for people. */
  readonly message: string;
}

/** How one fault of a run ended; of several iterations each has its own. */
export interface ExperimentResult {
  /** The ChaosEngine that it belongs to. */
  readonly engine: string;
  readonly namespace: string;
  /** Name of the ChaosExperiment, which is that of the fault. */
  readonly name: string;
  /** From 1; present where several were asked for. */
  readonly iteration?: number;
  readonly verdict: Verdict;
  /** Why it did not pass, as a sentence. */
  readonly reason?: string;
  /** The code of that, of docs/errors.md. */
  readonly errorCode?: string;
  /** Share of the probes that passed, 0 to 100. */
  readonly probeSuccessPercentage?: number;
  readonly probes: readonly ProbeResult[];
  readonly injections: readonly InjectionResult[];
  /** For how long a held fault was in force on its targets. */
  readonly coverage?: Coverage;
  /** How many pods of each hit workload were ready. */
  readonly workloads: readonly WorkloadReadiness[];
}

/** How a run ended. */
export interface RunResult {
  /** Of several faults the worst one's. */
  readonly verdict: Verdict;
  /** Why it did not pass, as a sentence. */
  readonly reason?: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** RFC 3339. */
  readonly endedAt: string;
  readonly experiments: readonly ExperimentResult[];
  /** The probes of all faults. */
  readonly probes: readonly ProbeResult[];
  /** The injections of all faults. */
  readonly injections: readonly InjectionResult[];
  /** Of the first fault that was held. */
  readonly coverage?: Coverage;
  /** The steps of the whole run, in the order of their times. */
  readonly timeline: readonly TimelineStep[];
  /** What was noticed beforehand and did not keep it from running. */
  readonly warnings: readonly string[];
}
