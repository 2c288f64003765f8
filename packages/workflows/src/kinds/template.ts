import type { Container, Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import type { Metrics } from './metrics.ts';
import type { Arguments, Artifact, Inputs, Outputs } from './parameters.ts';
import type { PodFields } from './pod-fields.ts';

/** A number, or text that may hold tags. */
type IntOrString = number | string;

export interface TemplateRef {
  readonly name: string;
  readonly template: string;
  readonly clusterScope?: boolean;
}

interface ContinueOn {
  readonly failed?: boolean;
  readonly error?: boolean;
}

export interface Sequence {
  readonly count?: IntOrString;
  readonly start?: IntOrString;
  readonly end?: IntOrString;
  readonly format?: string;
}

/** A template that starts at a point in the life of a node or of the workflow. */
export interface LifecycleHook {
  readonly template?: string;
  readonly templateRef?: TemplateRef;
  readonly arguments?: Arguments;
  /** When it starts; the hook named `exit` needs none. */
  readonly expression?: string;
}

export type LifecycleHooks = Readonly<Record<string, LifecycleHook>>;

/** An element of a loop: any JSON value. */
export type Item = unknown;

/** The common fields of a step of `steps` and a task of `dag`. */
export interface WorkflowStep {
  readonly name: string;
  readonly template?: string;
  readonly templateRef?: TemplateRef;
  readonly inline?: Template;
  readonly arguments?: Arguments;
  readonly withItems?: readonly Item[];
  readonly withParam?: string;
  readonly withSequence?: Sequence;
  readonly when?: string;
  readonly continueOn?: ContinueOn;
  readonly hooks?: LifecycleHooks;
  /** Old name of `hooks.exit.template`. */
  readonly onExit?: string;
}

export interface DagTask extends WorkflowStep {
  readonly dependencies?: readonly string[];
  readonly depends?: string;
}

export interface DagTemplate {
  readonly tasks: readonly DagTask[];
  readonly target?: string;
  readonly failFast?: boolean;
}

export interface RetryStrategy {
  readonly limit?: IntOrString;
  readonly retryPolicy?: 'OnFailure' | 'Always' | 'OnError' | 'OnTransientError' | '';
  readonly expression?: string;
  readonly backoff?: {
    readonly duration?: string;
    readonly factor?: IntOrString;
    readonly cap?: string;
    readonly maxDuration?: string;
  };
  readonly affinity?: { readonly nodeAntiAffinity?: unknown };
}

interface MutexRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly database?: boolean;
}

interface SemaphoreRef {
  readonly configMapKeyRef?: { readonly name: string; readonly key: string };
  readonly namespace?: string;
  readonly database?: { readonly key: string };
}

export interface Synchronization {
  readonly mutexes?: readonly MutexRef[];
  readonly semaphores?: readonly SemaphoreRef[];
}

export interface Memoize {
  readonly key: string;
  readonly maxAge?: string;
  readonly cache?: { readonly configMap?: { readonly name: string; readonly key?: string } };
}

/** A container as templates write it: the name may be missing. */
export type TemplateContainer = Omit<Container, 'name'> & {
  readonly name?: string;
  /** For init containers and sidecars: they have the volume mounts of main as well. */
  readonly mirrorVolumeMounts?: boolean;
};

interface ContainerSetTemplate {
  readonly containers: readonly (TemplateContainer & {
    readonly name: string;
    readonly dependencies?: readonly string[];
  })[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly retryStrategy?: { readonly duration?: string; readonly retries?: IntOrString };
}

export interface ResourceTemplate {
  readonly action: string;
  readonly manifest?: string;
  readonly manifestFrom?: { readonly artifact?: Artifact };
  readonly mergeStrategy?: string;
  readonly flags?: readonly string[];
  readonly setOwnerReference?: boolean;
  readonly successCondition?: string;
  readonly failureCondition?: string;
  readonly [field: string]: unknown;
}

export interface HttpTemplate {
  readonly url: string;
  readonly method?: string;
  readonly body?: string;
  readonly successCondition?: string;
  readonly [field: string]: unknown;
}

/** Exactly one of the fields below `type` says what kind of template it is. */
export interface Template extends PodFields {
  readonly name?: string;
  // type
  readonly container?: TemplateContainer;
  readonly script?: TemplateContainer & { readonly source?: string };
  readonly containerSet?: ContainerSetTemplate;
  readonly resource?: ResourceTemplate;
  readonly data?: {
    readonly source?: { readonly artifactPaths?: Artifact };
    readonly transformation?: unknown;
  };
  readonly http?: HttpTemplate;
  readonly plugin?: unknown;
  readonly suspend?: { readonly duration?: IntOrString };
  readonly steps?: readonly (readonly WorkflowStep[])[];
  readonly dag?: DagTemplate;
  // common
  readonly inputs?: Inputs;
  readonly outputs?: Outputs;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metrics?: Metrics;
  readonly daemon?: boolean;
  readonly initContainers?: readonly TemplateContainer[];
  readonly sidecars?: readonly TemplateContainer[];
  readonly volumes?: readonly Volume[];
  readonly activeDeadlineSeconds?: IntOrString;
  readonly timeout?: string;
  readonly pendingTimeout?: string;
  readonly retryStrategy?: RetryStrategy;
  readonly parallelism?: number;
  readonly failFast?: boolean;
  readonly synchronization?: Synchronization;
  readonly memoize?: Memoize;
  readonly priorityClassName?: string;
  readonly archiveLocation?: { readonly archiveLogs?: boolean; readonly [location: string]: unknown };
}
