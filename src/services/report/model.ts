import type { Coverage, Pressure, ProbeSummary, WorkloadReadiness } from '../../api/schema/result.ts';
import type { TimelineEntry } from '../../api/timeline.ts';
import type { WorkflowTimelineEntry } from '../workflows/timeline.ts';
import type { HitGroup } from './course/model.ts';
import type { RunOutcome } from './outcome/run-outcome.ts';

/** How one probe of an experiment did. */
interface ProbeReport {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly verdict: string;
  readonly description?: string;
  /** What a probe that measures again and again found, in numbers. */
  readonly summary?: ProbeSummary;
}

/** The effect on one target. */
export interface EffectReport {
  /** `pod/shop/web-1`. */
  readonly target: string;
  /** False where it is known that there was none. */
  readonly seen: boolean;
  readonly message: string;
  /** Of a load: what it got of what could be got, 0 to 1. */
  readonly share?: number;
}

/** How one experiment of an engine ended. */
export interface ExperimentReport {
  readonly name: string;
  /** Number of the iteration, from 1, when the engine asks for several. */
  readonly iteration?: number;
  /** Pass, Fail, Error, Stopped, or N/A when it never ran. */
  readonly verdict: string;
  /** Present when it was not started: `reason` says why. */
  readonly skipped?: true;
  readonly phase?: string;
  readonly probeSuccessPercentage?: string;
  readonly probes: readonly ProbeReport[];
  /** `deployment/web: targeted` and the like. */
  readonly targets: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
  /** What was hit, by workload; absent where nothing was. */
  readonly hits?: readonly HitGroup[];
  /** The known effects on the targets; absent without any. */
  readonly effects?: readonly EffectReport[];
  /** Of a Pass, where no effect is known of any target: the targets of which that is not known. */
  readonly effectUnknown?: readonly string[];
  /** How many pods of each hit workload were ready while chaos lasted, with that as a sentence where it was fewer than before. */
  readonly workloads?: readonly (WorkloadReadiness & { readonly text?: string })[];
  /** For how long a held fault was in force on its targets, with that as a sentence. */
  readonly coverage?: Coverage & { readonly text: string };
  /** How busy the machines of its processes were, with that as a sentence where one could not keep up. */
  readonly pressure?: { readonly processes: readonly Pressure[]; readonly text?: string };
  /** Why it did not pass, in words. */
  readonly reason?: string;
  /** The code of that, of docs/errors.md. */
  readonly errorCode?: string;
  /** When that was: `PreChaos`, `ChaosInject`, `PostChaos`. */
  readonly errorPhase?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** How one engine ended. */
export interface EngineReport {
  readonly namespace: string;
  readonly name: string;
  /** What its name begins with, where the rest was drawn. */
  readonly generateName?: string;
  /** The workflow that made it. */
  readonly workflow?: string;
  /** The step of the workflow that made it, where it is known. */
  readonly step?: string;
  /** completed, stopped, or the state it hung in. */
  readonly status: string;
  /** Why it could not run, when it could not. */
  readonly reason?: string;
  /** Present for an engine with `spec.dryRun`: nothing was injected. */
  readonly dryRun?: true;
  readonly experiments: readonly ExperimentReport[];
  readonly timeline: readonly TimelineEntry[];
}

/** How one node of a workflow ended. */
export interface NodeReport {
  readonly name: string;
  readonly displayName: string;
  /** Pod, Steps, DAG and so on. */
  readonly type: string;
  readonly template?: string;
  readonly phase: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** How one workflow ended. */
export interface WorkflowReport {
  readonly namespace: string;
  readonly name: string;
  /** What its name begins with, where the rest was drawn. */
  readonly generateName?: string;
  /** The CronWorkflow whose workflow this is. */
  readonly cron?: string;
  /** Succeeded, Failed, Error, or the phase it hung in. */
  readonly phase: string;
  readonly message?: string;
  /** Why it could not run, when it could not. */
  readonly reason?: string;
  /** How many of its nodes are done: `3/4`. */
  readonly progress?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly nodes: readonly NodeReport[];
  /** `namespace/name` of the engines that it made; the list of engines has their outcomes. */
  readonly engines: readonly string[];
  /** Engines that its steps bring along and that were not made, each with its step; absent where there are none. */
  readonly notMade?: readonly string[];
  /** With the steps of its engines. */
  readonly timeline: readonly WorkflowTimelineEntry[];
}

/** Why a run came to no verdict at all. */
export interface RunFailure {
  readonly message: string;
  /** Of docs/errors.md; `UNFORESEEN` for a mistake in Turnsole. */
  readonly code: string;
  readonly exitCode: number;
  /** Each problem of the input, where it stands. */
  readonly problems?: readonly {
    readonly file: string;
    readonly line?: number;
    readonly code: string;
    readonly text: string;
  }[];
}

/** The outcome of one `turnsole run`; also the shape of `--json FILE`. */
export interface RunReport {
  /** Version of the Turnsole that wrote it. */
  readonly turnsole: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly aborted: boolean;
  /** How it ended; of several runs how the worst one did. */
  readonly outcome?: RunOutcome;
  /** Those of workflows among them. */
  readonly engines: readonly EngineReport[];
  /** Absent where none was run. */
  readonly workflows?: readonly WorkflowReport[];
  /** Present where nothing ran. */
  readonly failure?: RunFailure;
}
