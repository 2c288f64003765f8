import type { ExperimentReport, NodeReport } from '../model.ts';

/** What the outcome of a run is composed from. */
export interface RunFacts {
  readonly isOver: boolean;
  /** Whether a user stopped it. */
  readonly isStopped: boolean;
  /** Why it could not be carried out at all: never begun, no controller, an engine that never started. */
  readonly problem?: string;
  /** Whether that problem is a refusal: by the server, an agent, or a controller. @default something kept it from starting */
  readonly isRefused?: boolean;
  /** Undefined for an engine alone. */
  readonly workflow?: WorkflowFacts;
  readonly experiments: readonly ExperimentFacts[];
  /** Names of faults of the workflow whose engine is not known: no step made it. */
  readonly notMade: readonly string[];
}

/** Facts about the workflow of a run. */
export interface WorkflowFacts {
  /** Argo's: Pending, Running, Succeeded, Failed, Error. */
  readonly phase: string;
  readonly message: string;
  /** All its nodes, with the groups. */
  readonly nodes: readonly Pick<NodeReport, 'displayName' | 'type' | 'phase' | 'message'>[];
}

/** Facts about one experiment of a run. */
export interface ExperimentFacts
  extends Pick<
    ExperimentReport,
    | 'name'
    | 'verdict'
    | 'skipped'
    | 'probes'
    | 'probeSuccessPercentage'
    | 'reason'
    | 'errorCode'
    | 'errorPhase'
  > {
  /** Whether its engine only plans (`spec.dryRun`). */
  readonly isDryRun: boolean;
  /** The step of the workflow that made its engine, where it is known. */
  readonly step?: string;
}
