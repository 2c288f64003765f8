import type { Clock, Random } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod, PolicyRule, SecurityContext } from '@turnsole/kube/kinds/core';
import type { Capability } from '@turnsole/kube/text/capabilities';
import type { ForceEnd, InjectionEffect, InjectionTarget } from '../../api/ledger.ts';
import type { Span } from '../../chaos/force-windows.ts';
import type { Tool } from '../../chaos/machine-lacks.ts';
import type { CommonTunables } from './settings/common-tunables.ts';
import type { TargetEntry } from './settings/parse-targets.ts';
import type { TunableProblem } from './settings/parse-tunables.ts';
import type { TunableSchema, Tunables } from './tunables.ts';

/** One side effect on one target, as data: what `plan` decides, the ledger stores, `inject` does and `revert` undoes. */
export interface Injection {
  /** Unique in the run; the key of its ledger entry. Faults need only make it unique in its round. */
  readonly id: string;
  readonly target: InjectionTarget;
  /** JSON only: a helper or a recovering operator has nothing else to go by. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Why it changes nothing, whatever its target does: its settings ask for nothing, or for what is there already. Such an injection is
   * known to have no effect, and is not asked for one.
   */
  readonly idle?: string;
  /** Why its target allows only a part of what the settings ask for, such as a limit; a plan and the timeline say so. */
  readonly bounded?: string;
}

/** The observed state of a target before the decision; as JSON. */
export type Observed = Readonly<Record<string, unknown>>;

/** The parameters of an injection, as the `plan` of its fault has made them: the ledger keeps them unchanged. */
export function parametersOf<P>({ parameters }: Injection): P {
  return parameters as P;
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

/** Hears how a fault sees the pods that it has hit, for the timeline. */
export interface PodsSeen {
  /** All present pods of a namespace. */
  all(namespace: string, pods: readonly Pod[]): void;
  /** A target that is a pod; undefined: it is not there. */
  one(target: Pick<InjectionTarget, 'namespace' | 'name'>, pod: Pod | undefined): void;
}

/** Hears from a fault that is held that its injection is in force no longer, or again, before it is reverted. */
interface ForceSeen {
  began(id: string): void;
  lapsed(id: string, why: ForceEnd): void;
  /** It was not in force for a while, as is known only now. */
  interrupted(id: string, span: Span, why: ForceEnd): void;
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
  /** Records the pods that are seen on the way. Undefined where no record is kept. */
  readonly podsSeen?: PodsSeen;
  /** Records when what it has injected lapses by itself. Undefined where no record is kept. */
  readonly force?: ForceSeen;
  /**
   * The settings of this run, for values that must not stand in an injection, which many may read: credentials. Undefined where
   * the journal of another fault is reverted.
   */
  readonly tunables?: Tunables<CommonTunables> & Tunables<TunableSchema>;
}

/** What the search for resources outside of the cluster may use. */
export type ResourceContext = Pick<FaultContext, 'clock' | 'random' | 'signal'>;

/** What a fault checks of its own, beside the health of the application; skipped with DEFAULT_HEALTH_CHECK=false. */
interface FaultHealth {
  /** What the checks look at, for the Events. @default as for all faults: node for faults of nodes, else application */
  readonly subject?: 'server';
  /**
   * Resolves, before chaos and after it, with what is healthy, in words for the timeline; undefined when it had nothing to check.
   *
   * @throws StatusCheckError when the target is not healthy in time
   */
  check(input: HealthInput, context: FaultContext): Promise<string | undefined>;
}

/** Input of a check. */
export interface HealthInput {
  readonly tunables: Tunables<CommonTunables> & Tunables<TunableSchema>;
  /** What TARGETS names. */
  readonly entries: readonly TargetEntry[];
  /** Looks for all pods that TARGETS stands for. @throws TargetSelectionError when none exists */
  pods(): Promise<readonly InjectionTarget[]>;
}

/**
 * A client of the application that a fault of pulses keeps beside the chaos, and whose testimony counts. It has a ledger entry
 * like an injection, is taken away by the fault's `revert`, and is no target of the history.
 */
export interface Witness<S extends TunableSchema> {
  /** Pure: the object to put up; undefined when the settings want none. Names follow from the run's id. */
  plan(tunables: Tunables<S>, runId: string): Injection | undefined;
  /** Puts it up, and resolves when it does its work. Idempotent. */
  start(injection: Injection, context: FaultContext): Promise<void>;
  /** After the last round: rejects when it has something to complain about. */
  check(injection: Injection, context: FaultContext): Promise<void>;
}

/** Requirements of a fault to its node; checked before anything is touched. */
export interface FaultNeeds {
  /** Effective capabilities of the process that injects. */
  readonly capabilities?: readonly Capability[];
  /** Programs in its PATH. Those that have a substitute are not needed. */
  readonly tools?: readonly Tool[];
  /** Programs in the containers of its targets; checked beforehand on the embedded cluster, whose containers have those of the machine. */
  readonly targetTools?: readonly Tool[];
  /**
   * A shell in the containers of its targets, and the fault that does the same without one; checked beforehand on the embedded cluster,
   * which knows the images.
   */
  readonly targetShell?: { readonly instead: string };
  /**
   * Whether the fault finds containers by /proc, and so needs Linux. Only faults without `capabilities` set it: systems other than
   * Linux lack those anyway.
   */
  readonly linux?: boolean;
  /** Whether pods must have namespaces and cgroups of their own (on the embedded cluster: `--isolation full`). */
  readonly isolatedPods?: boolean;
  /** Whether the cluster's network must enforce NetworkPolicies; only of the embedded cluster it is known whether it does. */
  readonly networkPolicies?: boolean;
}

/** The ports of a target's pod that are declared: by its containers, and the services that lead to it. */
export interface DeclaredPorts {
  /** `namespace/name` of the pod. */
  readonly pod: string;
  /** Ascending, each once; none where none is declared, which says nothing of what it listens on. */
  readonly ports: readonly number[];
}

/** Something that a pod which a fault puts up beside the application cannot start without. */
export interface FaultDependency {
  readonly kind: 'Image' | 'Secret';
  /** A Secret is looked for in the namespace of the engine. */
  readonly name: string;
  /** Key of the Secret. */
  readonly key?: string;
  /** Variable that names it. */
  readonly setting: string;
}

/** How the charts of a fault hand its credentials to its pod. */
export interface FaultCredentials {
  /** Name of the Secret. */
  readonly secret: string;
  /** Where it is mounted; undefined where its keys are variables. */
  readonly mountPath?: string;
  /** Variables of its keys, by the names of the variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The members of every fault, whatever its shape and place. */
interface AnyFault<S extends TunableSchema> {
  /** The upstream name, e.g. `pod-delete`. */
  readonly name: string;
  /** One sentence for `turnsole faults` and the docs. */
  readonly summary: string;
  /** Settings beyond the common ones, and other defaults for common ones, by environment variable name. */
  readonly tunables: S;
  /** Rules between settings that their types cannot say: everything that is wrong. Pure; run before anything else is. */
  validate?(tunables: Tunables<S>): readonly TunableProblem[];
  /** `workloads`: deployments and stateful sets, which have replicas of their own. */
  readonly targets: 'pods' | 'containers' | 'workloads' | 'node' | 'nodes' | 'resources' | 'none';
  /**
   * Looks for the resources that the settings mean, where the cluster does not know them (machines and disks of a cloud). Of faults with
   * the targets `resources`, and of no others. Reads only: it also runs for a plan.
   *
   * @throws TargetSelectionError when there is none, or when they must not be hit
   */
  findTargets?(tunables: Tunables<S>, context: ResourceContext): Promise<readonly InjectionTarget[]>;
  /** Whether TARGET_CONTAINER may be a list or `all`: each container is then a target of its own. @default false */
  readonly severalContainers?: boolean;
  /** What it asks of an API outside of the cluster, by the names that policies of that API have. Only these are asked. */
  readonly calls?: readonly string[];
  /**
   * A Secret with credentials that its charts mount, and variables that its charts take from one, by their keys.
   */
  readonly credentials?: FaultCredentials;
  /** How long a recovery of it may take, where what it hits takes longer to come back than what a cluster runs. @default 75 */
  readonly recoverySeconds?: number;
  /** Permissions of its service account beyond those that every experiment needs. */
  readonly permissions: readonly PolicyRule[];
  /** It acts on objects of all namespaces by its nature, so that a Role of one namespace is not enough. */
  readonly everywhere?: true;
  /** Requirements to the node; without them nothing is started (exit code 3 of helpers and of `turnsole run`). */
  readonly needs?: FaultNeeds;
  /** Pure: what pods that it puts up itself need, with these settings; a plan looks for it. Helpers have what the experiment has. */
  dependencies?(tunables: Tunables<S>): readonly FaultDependency[];
  /**
   * Requirements that `needs` cannot express, because they depend on the settings or have to be tried (a kernel module): runs on the
   * node before the first injection, and on the embedded cluster before the run.
   *
   * @throws NodeError saying what is missing and what to do
   */
  checkNode?(tunables: Tunables<S>, signal: AbortSignal): Promise<void>;
  /**
   * Taints by which it keeps pods off the nodes it hits, a cordon's included. Pure. A recovery tolerates them, for these may be all
   * nodes of the cluster.
   */
  taints?(tunables: Tunables<S>): readonly { readonly key: string; readonly effect: string }[];
  /** Word for history.targets after injection. @default `targeted` for pulse, `injected` for sustained faults */
  readonly targetStatus?: string;
  /** Message of the ChaosInject event. @default `Injecting <name> chaos on application pod` */
  readonly injectMessage?: string;
  /** Name and kind for history.targets; undefined for an injection that is no target there. @default those of the injection's target */
  historyTarget?(injection: Injection): { readonly kind: string; readonly name: string } | undefined;
  /**
   * Reads what `plan` must know of a target beyond its identity (a restart count, a replica count), through the API only:
   * it also runs for a dry run. JSON. What revert needs has to go from here into the injection's parameters.
   */
  observe?(target: InjectionTarget, context: FaultContext): Promise<Observed>;
  /** Pure: one injection per target (or none, with the reason in the thrown error). */
  plan(input: PlanInput<S>): readonly Injection[];
  /** Performs it. Idempotent: a second call for the same injection changes nothing more. */
  inject(injection: Injection, context: FaultContext): Promise<void>;
  /** Undoes it. Idempotent; right when inject never finished, and when the target is gone or was recreated. */
  revert(injection: Injection, context: FaultContext): Promise<void>;
  /**
   * Pure: why these settings ask for nothing on any target (0 ms, 0 %, an empty map); undefined where they ask for something. A plan and
   * admission warn of it, and it is the effect of a run: `idle` of each of its injections. What only the state of a target
   * shows, `plan` puts there itself.
   */
  idleReason?(tunables: Tunables<S>): string | undefined;
  /**
   * Pure: what speaks against the effect that these settings ask for, as far as that shows beforehand, after the name of the fault:
   * `may have no effect: …`. A plan and a run warn of it.
   *
   * @param declared of the pods that would be hit; empty where they could not be read
   */
  doubts?(tunables: Tunables<S>, declared: readonly DeclaredPorts[]): readonly string[];
  /** Further checks before and after chaos. */
  readonly health?: FaultHealth;
  /**
   * After a round, or after the revert: resolves when what was hit has recovered (replicas ready again…), rejects when it does not
   * in time.
   */
  settle?(injections: readonly Injection[], context: FaultContext): Promise<void>;
}

/** What the helper pod of a fault needs beyond an ordinary pod. */
export interface HelperNeeds {
  readonly hostPID?: boolean;
  readonly securityContext?: SecurityContext;
  /** The load runs in the helper itself (node hogs), whose limits would cap it. @default false: Guaranteed, by small limits */
  readonly unlimited?: boolean;
  /** The node does not answer while the fault is in force (its kubelet is stopped): that is no sign of a lost helper. */
  readonly silencesNode?: boolean;
  /** Runs on any other node than the target's, which is going to be gone. */
  readonly elsewhere?: boolean;
  /** A Secret of the engine's namespace, mounted read-only where it is there. */
  readonly secret?: { readonly name: string; readonly mountPath: string };
}

/** A fault that is instantaneous: repeated in rounds at CHAOS_INTERVAL until TOTAL_CHAOS_DURATION is over, nothing to revert. */
interface Pulse {
  readonly shape: 'pulse';
  /** One round at the beginning, and then the rest of the duration. @default false: rounds at CHAOS_INTERVAL */
  readonly once?: boolean;
}

/** A fault that is injected once, held for TOTAL_CHAOS_DURATION, then reverted. */
interface Hold {
  readonly shape: 'sustained';
  /**
   * The effect of the injection, asked at the end of its time by the process that has injected it, before
   * the revert; not after an abort. Undefined where it cannot be known: a fault may deny an effect only where it has counted everything in
   * which the effect would have shown.
   */
  effect?(injection: Injection, context: FaultContext): Promise<InjectionEffect | undefined>;
}

/** A fault that the experiment's own process injects, through the API. */
interface ByApi {
  readonly where: 'api';
}

/** A fault that a helper pod on the target's node injects. */
interface ByNode {
  readonly where: 'node';
  readonly helper?: HelperNeeds;
}

/** Repeated through the API, such as pod-delete. */
export interface ApiPulse<S extends TunableSchema = TunableSchema> extends AnyFault<S>, Pulse, ByApi {
  readonly witness?: Witness<S>;
  /** What counts in place of TARGETS and TARGET_PODS, in the form of TARGETS; undefined leaves these. */
  chooseTargets?(
    tunables: Tunables<S>,
    context: FaultContext,
    witness: Injection | undefined,
  ): Promise<string | undefined>;
}

/** Held through the API, such as node-drain. */
export interface ApiHold<S extends TunableSchema = TunableSchema> extends AnyFault<S>, Hold, ByApi {
  /**
   * What to do while it is in force, instead of only letting the time pass. An error ends
   * the hold; the revert follows in any case.
   */
  hold?(injections: readonly Injection[], context: FaultContext, durationMs: number): Promise<void>;
}

/** Repeated on the target's node, such as container-kill. */
export interface NodePulse<S extends TunableSchema = TunableSchema> extends AnyFault<S>, Pulse, ByNode {}

/** Held on the target's node, such as pod-network-latency. */
export interface NodeHold<S extends TunableSchema = TunableSchema> extends AnyFault<S>, Hold, ByNode {}

/**
 * A fault: the smallest thing. It acts on one target at a time; selecting, ordering, waiting, recording, aborting and
 * judging are the experiment's business and the same for all. By shape and place, so that a member stands only where it means
 * something.
 */
export type Fault<S extends TunableSchema = TunableSchema> =
  | ApiPulse<S>
  | ApiHold<S>
  | NodePulse<S>
  | NodeHold<S>;

/** What the helpers of a fault need; undefined for faults without helpers, too. Pure. */
export function helperNeedsOf(fault: Fault): HelperNeeds | undefined {
  return fault.where === 'node' ? fault.helper : undefined;
}

/** Whether a fault is repeated through the API; others have no witness and choose no targets. Pure. */
export function isApiPulse(fault: Fault): fault is ApiPulse {
  return fault.where === 'api' && fault.shape === 'pulse';
}

/** Faults by name; each is loaded on demand, so that a process loads only its own. */
export type FaultRegistry = ReadonlyMap<string, () => Promise<Fault>>;
