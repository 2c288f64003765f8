/**
 * Faults of one's own: what `import type … from 'turnsole/fault'` gives; there is nothing to load. docs/writing-a-fault.md shows it in use. These types say of
 * src/experiment/injection/fault.ts what somebody needs who has no checkout.
 */

/** A setting: the environment variable's type, limits, default and meaning. */
export type FaultSetting = {
  /** One or two sentences: what it does. */
  readonly description: string;
  /** An empty value is refused. */
  readonly required?: boolean;
} & (
  | {
      readonly type: 'integer' | 'number';
      /** Undefined: not set. */
      readonly default: number | undefined;
      readonly minimum: number;
      readonly maximum: number;
      /** For messages: `seconds`, `percent`, … */
      readonly unit?: string;
      /** Accepts `lo-hi`, from which one is drawn. */
      readonly range?: boolean;
    }
  | {
      readonly type: 'percentage';
      readonly default: number | undefined;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly range?: boolean;
    }
  | {
      readonly type: 'duration';
      /** What a plain number means. */
      readonly unit: 'milliseconds' | 'seconds';
      /** Milliseconds, as are the limits and the value. */
      readonly default: number | undefined;
      readonly minimumMs?: number;
      readonly maximumMs: number;
    }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  | {
      readonly type: 'text';
      readonly default: string;
      /** A regular expression for the whole value. */
      readonly pattern?: string;
      /** The pattern in words. */
      readonly form?: string;
    }
  | {
      readonly type: 'list';
      readonly default: readonly string[];
      readonly pattern?: string;
      readonly form?: string;
    }
  | { readonly type: 'map'; readonly default: Readonly<Record<string, string>> }
);

/** By the name of the variable. */
export type FaultSettings = Readonly<Record<string, FaultSetting>>;

type ValueOf<T extends FaultSetting> = T extends {
  readonly type: 'integer' | 'number' | 'percentage' | 'duration';
}
  ? T extends { readonly default: number }
    ? number
    : number | undefined
  : T extends { readonly type: 'boolean' }
    ? boolean
    : T extends { readonly type: 'list' }
      ? readonly string[]
      : T extends { readonly type: 'map' }
        ? Readonly<Record<string, string>>
        : string;

/** The settings of a run, as they were read. */
export type SettingValues<S extends FaultSettings> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** What is hit. Of an object that was made anew the uid is another one. */
export interface FaultTarget {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** The workload that it belongs to. */
  readonly owner?: { readonly kind: string; readonly name: string; readonly uid?: string };
  /** What `observe` has found. */
  readonly observed?: Readonly<Record<string, unknown>>;
}

/** One side effect on one target, as data: the ledger stores it before `inject` begins. */
export interface FaultInjection {
  /** Unique in its round. */
  readonly id: string;
  readonly target: FaultTarget;
  /** JSON: all that `inject` and `revert` go by. Everybody may read it. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why it changes nothing, whatever its target does. */
  readonly idle?: string;
}

/** A kind of the Kubernetes API. */
export interface FaultResource {
  /** Empty for the core of the API. */
  readonly group: string;
  readonly version: string;
  /** Such as `pods`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Place {
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal;
}

/** An object as the API gives it. */
export interface FaultObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The Kubernetes API, with the rights of the engine's account. A refused request rejects with an error that has the HTTP status as `code`. */
export interface FaultClient {
  get(resource: FaultResource, name: string, place?: Place): Promise<FaultObject>;
  /** Undefined where it is not there. */
  find(resource: FaultResource, name: string, place?: Place): Promise<FaultObject | undefined>;
  list(
    resource: FaultResource,
    place?: Place & { readonly labelSelector?: string; readonly fieldSelector?: string },
  ): Promise<{ readonly items: readonly FaultObject[] }>;
  create(resource: FaultResource, object: object, place?: Place): Promise<FaultObject>;
  patch(
    resource: FaultResource,
    name: string,
    type: 'merge' | 'strategic',
    patch: object,
    place?: Place,
  ): Promise<FaultObject>;
  delete(resource: FaultResource, name: string, place?: Place): Promise<unknown>;
}

/** What the functions of a fault may use. */
export interface FaultContext<S extends FaultSettings = FaultSettings> {
  readonly client: FaultClient;
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
  /** How long what was hit may take to recover, in milliseconds. */
  readonly recoveryTimeoutMs: number;
  /** Adds a line to the timeline. */
  readonly note: (step: string, object: string | undefined, message: string) => void;
  /** The settings of this run; undefined where the journal of another fault is reverted. */
  readonly tunables?: SettingValues<S>;
}

/** What `plan` decides by. */
export interface FaultPlanInput<S extends FaultSettings> {
  readonly tunables: SettingValues<S>;
  readonly targets: readonly FaultTarget[];
  /** From 0; always 0 for sustained faults. */
  readonly round: number;
}

/** Rules of a Role. */
export interface FaultPermission {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
}

/** A fault that acts through the Kubernetes API. Its module has its name: `pod-freeze.js`. */
export interface OwnFault<S extends FaultSettings = FaultSettings> {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Its settings; of the common ones those whose default it changes. */
  readonly tunables: S;
  readonly targets: 'pods' | 'workloads' | 'node' | 'nodes' | 'none';
  /** `pulse`: in rounds, with nothing to undo; `sustained`: injected once, held, reverted. */
  readonly shape: 'pulse' | 'sustained';
  readonly where: 'api';
  readonly permissions: readonly FaultPermission[];
  /** It acts on objects of all namespaces. */
  readonly everywhere?: true;
  /** All that is wrong with combinations of settings. Pure. */
  validate?(tunables: SettingValues<S>): readonly {
    /** Name of the setting. */
    readonly variable: string;
    readonly found: string;
    readonly expected: string;
  }[];
  /** Reads what `plan` has to know; also in a dry run. */
  observe?(target: FaultTarget, context: FaultContext<S>): Promise<Readonly<Record<string, unknown>>>;
  /** Pure: one injection per target; throws where lasting harm would be done. */
  plan(input: FaultPlanInput<S>): readonly FaultInjection[];
  /** A second call for the same injection changes nothing more. */
  inject(injection: FaultInjection, context: FaultContext<S>): Promise<void>;
  /** From the injection alone: in another process, after an unfinished inject, when the target is gone. Of pulses it does nothing. */
  revert(injection: FaultInjection, context: FaultContext<S>): Promise<void>;
  /** (sustained) What was measured, before the revert. */
  effect?(
    injection: FaultInjection,
    context: FaultContext<S>,
  ): Promise<{ readonly seen: boolean; readonly message: string } | undefined>;
  /** (sustained) What is done while it is in force; an error ends the hold. */
  hold?(injections: readonly FaultInjection[], context: FaultContext<S>, durationMs: number): Promise<void>;
  /** Resolves when what was hit has recovered. */
  settle?(injections: readonly FaultInjection[], context: FaultContext<S>): Promise<void>;
  /** Why these settings ask for nothing. Pure. */
  idleReason?(tunables: SettingValues<S>): string | undefined;
}
