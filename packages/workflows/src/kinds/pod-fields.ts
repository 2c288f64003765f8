import type { PodSpec } from '@turnsole/kube/kinds/core';

/** What workflows and templates alike say of their pods; the template's word counts before that of the workflow. */
export interface PodFields {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: PodSpec['securityContext'];
  readonly nodeSelector?: PodSpec['nodeSelector'];
  readonly tolerations?: PodSpec['tolerations'];
  readonly affinity?: PodSpec['affinity'];
  readonly schedulerName?: string;
  readonly hostAliases?: PodSpec['hostAliases'];
  /** JSON or YAML of a strategic merge patch of the pod's spec. */
  readonly podSpecPatch?: string;
  /** `spec.resources` and `spec.resourceClaims` of the pod: newer than the types of pods. */
  readonly podResources?: unknown;
  readonly resourceClaims?: readonly unknown[];
}
