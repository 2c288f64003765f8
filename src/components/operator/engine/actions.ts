import type { ChaosResult, EngineExperimentStatus } from '../../../api/index.ts';
import type { StartProblemReason } from '../../../chaos/pod-start.ts';

/** What a deletion of children is for; the word appears in the texts of Events. */
export type Phase = 'chaos start' | 'chaos running' | 'chaos stop' | 'chaos completion' | 'chaos restart';

/**
 * One thing to do for an engine. The list of a decision is carried out in order; each action is idempotent, and a
 * process that dies between two of them leaves a state from which the next decision goes on.
 */
export type EngineAction =
  /** Read everything from the API server instead of the cache, then decide again. */
  | { readonly type: 'confirm'; readonly why: string }
  /** A run begins: finalizer first, then engineState active, engineStatus initialized, a new run id, no experiments. */
  | { readonly type: 'initialize'; readonly restartAfter?: 'completed' | 'stopped' }
  /** The finalizer of a run under way is missing: store it before anything else. */
  | { readonly type: 'addFinalizer' }
  /** Make the runner pod. A refusal is recorded as problem; the next decision judges it. */
  | { readonly type: 'createRunner'; readonly attempt: number }
  | { readonly type: 'deleteRunner'; readonly force: boolean }
  /** The run cannot go on at the moment; condition Runnable becomes False. */
  | {
      readonly type: 'reportProblem';
      readonly reason: StartProblemReason;
      readonly message: string;
      readonly attempts?: number;
    }
  /** Make pod and service with the engine's metrics. Condition Monitored reports a refusal, and the run goes on. */
  | { readonly type: 'createMonitor' }
  /** Delete them, and condition Monitored. */
  | { readonly type: 'removeMonitor' }
  /** Condition Runnable becomes True again. */
  | { readonly type: 'clearProblem' }
  /** The spec cannot be run: engineState stop, engineStatus stopped, nothing launched. */
  | { readonly type: 'reject'; readonly problems: readonly string[] }
  /** The run is given up: engineState stop with the reason; the abort then cleans up. */
  | { readonly type: 'giveUp'; readonly reason: StartProblemReason; readonly message: string }
  /** The safety lever is pulled: engineState stop; the abort then reverts and cleans up. */
  | { readonly type: 'halt'; readonly message: string }
  /** The run waits until the safety lever is released; condition Runnable becomes False. */
  | { readonly type: 'reportHalted'; readonly message: string }
  /** The runner has ended: engineStatus completed and engineState stop. */
  | {
      readonly type: 'complete';
      /** The entries as their results have them, when the runner's node does not answer. */
      readonly experiments?: readonly EngineExperimentStatus[];
      /** Pods that the clean-up deletes next; the same write records them. */
      readonly deletes?: readonly string[];
    }
  /** Delete all Jobs and pods with the engine's chaosUID, in the background. */
  | { readonly type: 'deleteChildren'; readonly phase: Phase; readonly gracePeriodSeconds: number }
  /** Delete these pods without grace: they have ended, or their node does not answer. */
  | {
      readonly type: 'forceDelete';
      readonly phase: Phase;
      readonly pods: readonly string[];
      /** Whether these pods did not end within their grace period: what they injected may still be on their nodes, and the user is told so. */
      readonly unresponsive: boolean;
    }
  /** Delete the pods that carry `app=<engine>` (jobCleanUpPolicy delete). */
  | { readonly type: 'deleteEnginePods'; readonly pods: readonly string[] }
  /** Close ledger entries of which nothing stays in force. */
  | { readonly type: 'closeEntries'; readonly result: ChaosResult; readonly ids: readonly string[] }
  /** Start the experiment of a result once more, to revert what it left. A refusal is recorded in the condition Recovered. */
  | { readonly type: 'startRecovery'; readonly result: ChaosResult; readonly attempt: number }
  /** Note whether the Job of an attempt can never have a pod. */
  | { readonly type: 'checkRecovery'; readonly result: ChaosResult; readonly attempt: number }
  /** What could not be reverted: condition Recovered becomes False, an Event and the timeline name it. */
  | { readonly type: 'reportLeft'; readonly left: readonly string[]; readonly reason: string }
  /** Delete the Jobs and pods of recoveries: all is done or given up. */
  | { readonly type: 'removeRecoveries' }
  /** Hear when an experiment of the engine says its last word. */
  | { readonly type: 'awaitLastWords' }
  /** Nothing is in force: settle results and experiments, engineStatus stopped; remove the finalizer unless pods are still ending. */
  | {
      readonly type: 'finishAbort';
      readonly deleted: boolean;
      readonly left: readonly string[];
      /** Pods that have let go and not ended. @default 0 */
      readonly ending?: number;
    }
  | { readonly type: 'removeFinalizer' }
  /** Nothing more to do until something changes or this much time has passed. */
  | { readonly type: 'wait'; readonly ms: number; readonly why: string };
