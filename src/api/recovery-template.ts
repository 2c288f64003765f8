import type { Container, PodSpec } from '@turnsole/kube/kinds/core';

/**
 * The parts of an experiment's pod, kept in its ChaosResult before anything is injected: enough to start it once more when
 * its Job, its ChaosExperiment and even its engine are gone. Absent parts are null, so that a merge patch replaces all of it.
 */
export interface RecoveryTemplate {
  /** Name of the experiment, for names of Jobs. */
  readonly experiment: string;
  /** How long its recovery may take, where that is longer than usual. */
  readonly limitSeconds?: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly container: Kept<
    Pick<
      Container,
      | 'image'
      | 'imagePullPolicy'
      | 'command'
      | 'args'
      | 'env'
      | 'envFrom'
      | 'volumeMounts'
      | 'resources'
      | 'securityContext'
    >
  >;
  readonly pod: Kept<
    Pick<
      PodSpec,
      | 'serviceAccountName'
      | 'imagePullSecrets'
      | 'nodeSelector'
      | 'tolerations'
      | 'volumes'
      | 'securityContext'
      | 'hostPID'
    >
  >;
}

/** Parts of an object, null where they are absent. */
export type Kept<T> = { readonly [K in keyof T]?: T[K] | null };
