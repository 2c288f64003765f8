/**
 * The seam between the engine and what is around it: what happened (changes), and what is to be done (actions). Both are data.
 *
 * The executor of actions owes the engine an answer as a change: `createPod` is followed by `podChanged` or `podRefused`,
 * `acquireLocks` by `locksChanged`, `readCache` by `cacheRead`, `runTask` by `taskAnswered`. An action may be carried out twice: its id
 * is its kind and its node, and the second time finds what the first one made.
 */
import type { Outputs } from '../kinds/parameters.ts';
import type { NodeId, NodePhase, NodeStatus } from '../kinds/status.ts';
import type { Memoize, Synchronization, Template } from '../kinds/template.ts';
import type { ShutdownStrategy } from '../kinds/workflow.ts';
import type { Controls, StatusChange } from './run.ts';

/** The role of a container in its pod, which decides how its end is judged. `init` and `wait` are helpers of the engine. */
export type ContainerRole = 'init' | 'userInit' | 'main' | 'wait' | 'sidecar';

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason?: string; readonly message?: string }
  | { readonly kind: 'running' }
  | {
      readonly kind: 'terminated';
      readonly exitCode: number;
      readonly reason?: string;
      /** Termination message. */
      readonly message?: string;
    };

export interface ContainerFact {
  readonly name: string;
  readonly role: ContainerRole;
  readonly state: ContainerState;
  readonly ready?: boolean;
}

/** A pod as the watch shows it, in the words of the engine. */
export interface PodFact {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly name: string;
  /** `status.message`: the kubelet's or the scheduler's reason why the pod failed. */
  readonly message?: string;
  /** Text of the condition with reason Unschedulable; empty text without one. */
  readonly unschedulable?: string;
  readonly containers: readonly ContainerFact[];
  readonly ip?: string;
  readonly host?: string;
  /** Sum over all its containers; 3.10 of the reference. */
  readonly resourcesDuration?: Readonly<Record<string, number>>;
  /** Milliseconds since 1970, of the container that ended last. */
  readonly finishedAt?: number;
}

/** Something that happened. */
export type Change =
  /** The workflow is seen for the first time, or by a new process: everything is decided anew. Also when time has passed. */
  | { readonly kind: 'look' }
  | { readonly kind: 'podChanged'; readonly node: NodeId; readonly pod: PodFact }
  /** The pod of an unfinished node is not there (any more). */
  | { readonly kind: 'podGone'; readonly node: NodeId }
  /** The pod could not be created. After a transient refusal the node stays pending, and the one who was refused tries again. */
  | {
      readonly kind: 'podRefused';
      readonly node: NodeId;
      readonly message: string;
      readonly isTransient: boolean;
    }
  /** What a pod reported, whole or in part. */
  | {
      readonly kind: 'reported';
      readonly node: NodeId;
      readonly outputs?: Outputs;
      readonly progress?: string;
      readonly isComplete: boolean;
    }
  /** The answer to `runTask`. */
  | {
      readonly kind: 'taskAnswered';
      readonly node: NodeId;
      readonly phase: NodePhase;
      readonly message?: string;
      readonly outputs?: Outputs;
      readonly progress?: string;
    }
  | {
      readonly kind: 'locksChanged';
      /** Empty for the workflow itself. */
      readonly node: NodeId | '';
      readonly answer:
        | { readonly kind: 'held' }
        | { readonly kind: 'waiting'; readonly lock: string; readonly message: string }
        | { readonly kind: 'error'; readonly message: string };
    }
  /** The answer to `readCache`; outputs are absent when the key is not there. */
  | { readonly kind: 'cacheRead'; readonly node: NodeId; readonly outputs?: Outputs; readonly error?: string }
  /**
   * After a restart: a pending node (or, empty, the workflow) may never have got what it asked for, and asks again; so does a running task,
   * whose worker has ended.
   */
  | { readonly kind: 'unanswered'; readonly node: NodeId | '' }
  /** A client changed the spec. Absent fields are as they were. */
  | {
      readonly kind: 'specChanged';
      readonly suspend?: boolean;
      readonly shutdown?: ShutdownStrategy;
      readonly activeDeadlineSeconds?: number;
    }
  /** A client changed nodes of the status (resume, `node set`). */
  | { readonly kind: 'nodesEdited'; readonly nodes: readonly NodeStatus[] };

/** Something to be done. */
export type Action =
  | CreatePod
  /** Ends a pod: its containers get SIGTERM and, after the grace period, SIGKILL. A pending pod is deleted. */
  | { readonly kind: 'endPod'; readonly node: NodeId; readonly isPending: boolean }
  /** Does the work of an `http` or `plugin` node. */
  | { readonly kind: 'runTask'; readonly node: NodeId; readonly template: Template }
  | { readonly kind: 'acquireLocks'; readonly node: NodeId | ''; readonly locks: Synchronization }
  | { readonly kind: 'releaseLocks'; readonly node: NodeId | '' }
  | { readonly kind: 'readCache'; readonly node: NodeId; readonly memoize: Memoize }
  | {
      readonly kind: 'saveCache';
      readonly node: NodeId;
      readonly memoize: Memoize;
      readonly outputs: Outputs;
    };

export interface CreatePod {
  readonly kind: 'createPod';
  readonly node: NodeId;
  readonly podName: string;
  /** Every tag is replaced but those of names that the pod itself gives. */
  readonly template: Template;
  /** Labels and annotations of the pod that say which node it is of. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The template of the enclosing steps or dag: its node selector, affinity and tolerations stand in for those of this one. */
  readonly boundary?: NodeId;
  /** Whether what the main container prints is wanted as `outputs.result`. */
  readonly wantsResult: boolean;
  /** Whether the node is not over until a `reported` with `isComplete` came. */
  readonly mustReport: boolean;
  /** Milliseconds since 1970 after which the pod has to be ended by the kubelet: the earliest of all time limits. */
  readonly deadline?: number;
  /** Hosts of earlier attempts, which are to be avoided. */
  readonly avoidHosts?: readonly string[];
}

/** The outcome of a change: what to store and to do. Nothing is stored or done yet. */
export interface Decision {
  /** Nodes that are new or changed, in order of creation. */
  readonly nodes: readonly NodeStatus[];
  /** Changed fields of the workflow's status. */
  readonly status: StatusChange;
  readonly actions: readonly Action[];
  /** What clients changed. */
  readonly controls?: Controls;
  /** Milliseconds since 1970 at which to `look` again, though nothing happens. */
  readonly wakeAt?: number;
}
