import type { PolicyRule, SecurityContext } from '../api/core.ts';
import type { InjectionTarget } from '../api/ledger.ts';
import type { KubeClient } from '../kube/client/types.ts';
import type { Clock, Random } from '../kube/runtime/clock.ts';
import type { Capability } from './node/capabilities.ts';
import type { Tool } from './node/tools.ts';
import type { TunableProblem } from './settings/parse-tunables.ts';
import type { TunableSchema, Tunables } from './tunables.ts';

/** One side effect on one target, as data: what `plan` decides, the ledger stores, `inject` does and `revert` undoes. */
export interface Injection {
  /** Unique in the run; the key of its ledger entry. Faults need only make it unique in its round. */
  readonly id: string;
  readonly target: InjectionTarget;
  /** JSON only: a helper or a recovering operator has nothing else to go by. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A target with what `observe` found out about it just before this round. */
export interface ObservedTarget extends InjectionTarget {
  readonly observed?: Readonly<Record<string, unknown>>;
}

/** What `plan` knows: all of it observed beforehand, so that planning stays pure. */
export interface PlanInput<S extends TunableSchema> {
  readonly tunables: Tunables<S>;
  /** Chosen by the target selection; for faults without targets an empty list. */
  readonly targets: readonly ObservedTarget[];
  /** Round number, from 0; always 0 for sustained faults. */
  readonly round: number;
  readonly random: Random;
}

/** What `observe`, `inject`, `revert` and `settle` may use. */
export interface FaultContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** STATUS_CHECK_TIMEOUT: how long what was hit may take to recover. */
  readonly recoveryTimeoutMs: number;
  /** Records a line of the timeline. */
  readonly note: (step: string, object: string | undefined, message: string) => void;
}

/** What a node must have for a fault; checked before anything is touched. */
export interface FaultNeeds {
  /** Effective capabilities of the process that injects. */
  readonly capabilities?: readonly Capability[];
  /** Programs in its PATH. Those that have a substitute are not needed. */
  readonly tools?: readonly Tool[];
  /** Whether pods must have namespaces and cgroups of their own (on the embedded cluster: `--isolation full`). */
  readonly isolatedPods?: boolean;
}

/**
 * A fault: the smallest thing. It acts on one target at a time; selecting, ordering, waiting, recording, aborting and
 * judging are the experiment's business and the same for all.
 */
export interface Fault<S extends TunableSchema = TunableSchema> {
  /** The upstream name, e.g. `pod-delete`. */
  readonly name: string;
  /** One sentence for `turnsole faults` and the docs. */
  readonly summary: string;
  /** Settings beyond the common ones, and other defaults for common ones, by environment variable name. */
  readonly tunables: S;
  /** Rules between settings that their types cannot say: everything that is wrong. Pure; run before anything else is. */
  validate?(tunables: Tunables<S>): readonly TunableProblem[];
  readonly targets: 'pods' | 'containers' | 'node' | 'nodes' | 'none';
  /** Whether TARGET_CONTAINER may be a list or `all`: each container is then a target of its own. @default false */
  readonly severalContainers?: boolean;
  /**
   * `pulse`: instantaneous, repeated in rounds at CHAOS_INTERVAL until TOTAL_CHAOS_DURATION is over, nothing to revert.
   * `sustained`: injected once, held for TOTAL_CHAOS_DURATION, then reverted.
   */
  readonly shape: 'pulse' | 'sustained';
  /** `api`: done by the experiment process itself; `node`: done by a helper pod on the target's node. */
  readonly where: 'api' | 'node';
  /** What its service account must be allowed to do, beyond what every experiment needs. */
  readonly permissions: readonly PolicyRule[];
  /** What the node must have; without it nothing is started (exit code 3 of helpers and of `turnsole run`). */
  readonly needs?: FaultNeeds;
  /**
   * What `needs` cannot say, because it depends on the settings or has to be tried (a kernel module): runs on the node before
   * the first injection, and on the embedded cluster before the run.
   *
   * @throws NodeError saying what is missing and what to do
   */
  checkNode?(tunables: Tunables<S>, signal: AbortSignal): Promise<void>;
  /** What the helper pod of a `node` fault needs beyond an ordinary pod. */
  readonly helper?: {
    readonly hostPID?: boolean;
    readonly securityContext?: SecurityContext;
    /** The load runs in the helper itself (node hogs), whose limits would cap it. @default false: Guaranteed, by small limits */
    readonly unlimited?: boolean;
  };
  /** Word for history.targets after injection. @default `targeted` for pulse, `injected` for sustained faults */
  readonly targetStatus?: string;
  /** Message of the ChaosInject event. @default `Injecting <name> chaos on application pod` */
  readonly injectMessage?: string;
  /** Name and kind for history.targets. @default those of the injection's target */
  historyTarget?(injection: Injection): { readonly kind: string; readonly name: string };
  /**
   * Reads what `plan` must know of a target beyond its identity (a restart count, a replica count), through the API only:
   * it also runs for a dry run. JSON. What revert needs has to go from here into the injection's parameters.
   */
  observe?(target: InjectionTarget, context: FaultContext): Promise<Readonly<Record<string, unknown>>>;
  /** Pure: one injection per target (or none, with the reason in the thrown error). */
  plan(input: PlanInput<S>): readonly Injection[];
  /** Performs it. Idempotent: a second call for the same injection changes nothing more. */
  inject(injection: Injection, context: FaultContext): Promise<void>;
  /** Undoes it. Idempotent; right when inject never finished, and when the target is gone or was recreated. */
  revert(injection: Injection, context: FaultContext): Promise<void>;
  /** After a round: resolves when what was hit has recovered (replicas ready again…), rejects when it does not in time. */
  settle?(injections: readonly Injection[], context: FaultContext): Promise<void>;
}

/** Faults by name; each is loaded when it is asked for, so that a process pays only for its own. */
export type FaultRegistry = ReadonlyMap<string, () => Promise<Fault>>;
