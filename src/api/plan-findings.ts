/**
 * The findings about a run before it injects anything: what `turnsole plan` prints and what a dry run leaves in
 * `ChaosResult.status.plan`. A documented shape (docs/plan.md): fields are added, never changed.
 */
import type { InjectionTarget } from './ledger.ts';

/** How much of one workload is hit. A pod without a workload counts as one of its own. */
export interface WorkloadShare {
  /** Lower-case kind. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Pods of it that are hit in one round. */
  readonly hit: number;
  /** Pods of it that have not ended. */
  readonly of: number;
  /** Rounded to whole per cent. */
  readonly percent: number;
}

/** What the run means for one PodDisruptionBudget that covers a target. */
export interface BudgetImpact {
  readonly namespace: string;
  readonly name: string;
  /** Pods of the budget that are hit at the same time. */
  readonly hitAtOnce: number;
  /** Healthy pods of it that may be missing now (`status.disruptionsAllowed`). */
  readonly allowed: number;
  /** More are hit at the same time than may be missing. */
  readonly violated: boolean;
}

/** The nodes on which targets are, or which are targets. */
export interface NodeShare {
  readonly hit: readonly string[];
  /** Nodes of the cluster; absent when they may not be listed. */
  readonly of?: number;
  readonly percent?: number;
}

/** How much is affected. */
export interface BlastRadius {
  readonly workloads: readonly WorkloadShare[];
  readonly disruptionBudgets: readonly BudgetImpact[];
  readonly nodes: NodeShare;
  /** What could not be read and why; the rest holds all the same. */
  readonly notSeen: readonly string[];
}

/** Other chaos that is, or may be, done to the same targets. */
export interface ChaosConflict {
  /** `namespace/name` of the other engine. */
  readonly engine: string;
  readonly experiment?: string;
  readonly fault?: string;
  /** `kind/namespace/name` of the target. */
  readonly object: string;
  /** `in-force`: it is injected now; `selected`: a run under way selects it. */
  readonly kind: 'in-force' | 'selected';
}

/** An autoscaler that sets the replicas of a target, and so undoes what a fault sets. */
export interface AutoscalerConflict {
  readonly kind: 'autoscaled';
  /** `namespace/name` of the HorizontalPodAutoscaler. */
  readonly autoscaler: string;
  /** `kind/namespace/name` of the target. */
  readonly object: string;
}

/** What meets a target besides the planned run. */
export type PlanConflict = ChaosConflict | AutoscalerConflict;

/** What answered for the service account: an access review of its own, one by another account, or neither. */
export type PermissionSource = 'self-subject-access-review' | 'subject-access-review' | 'not-allowed-to-ask';

/** One thing the service account must be allowed to do. */
export interface PermissionCheck {
  readonly namespace: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Undefined when the cluster would not say. */
  readonly allowed?: boolean | undefined;
}

/** What a dry run leaves in its result. */
export interface PlanFindings {
  /** One sentence for people: what would be hit and what speaks against it. */
  readonly summary: string;
  readonly targets: readonly InjectionTarget[];
  readonly blastRadius: BlastRadius;
  readonly permissions: {
    readonly source: PermissionSource;
    /** Only those that are not allowed. */
    readonly missing: readonly PermissionCheck[];
  };
  readonly conflicts: readonly PlanConflict[];
}
