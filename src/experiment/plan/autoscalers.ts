import { type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import type { AutoscalerConflict, InjectionTarget } from '../../api/index.ts';
import { objectOf } from '../injection/ledger/ledger-steps.ts';
import { SCALABLE_WORKLOADS } from '../targets/resolve-workloads.ts';

/** A HorizontalPodAutoscaler, as far as it says what it scales. */
export interface Autoscaler extends KubeObject {
  readonly spec?: {
    readonly scaleTargetRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
    };
  };
}

/** Whether targets of this kind are what autoscalers scale, too: then a fault that hits them sets their replicas. Pure. */
export function isScaled(kind: string): boolean {
  return SCALABLE_WORKLOADS.has(kind);
}

/** The autoscalers of the targets themselves; those of the workloads that targeted pods belong to are no matter of replicas. Pure. */
export function findAutoscalers(
  targets: readonly InjectionTarget[],
  autoscalers: readonly Autoscaler[],
): AutoscalerConflict[] {
  return targets
    .filter(({ kind }) => isScaled(kind))
    .flatMap((target) =>
      autoscalers
        .filter(({ metadata, spec }) => {
          const { apiVersion = '', kind = '', name } = spec?.scaleTargetRef ?? {};
          return (
            metadata.namespace === target.namespace &&
            apiVersion.startsWith('apps/') &&
            kind.toLowerCase() === target.kind &&
            name === target.name
          );
        })
        .map(
          (autoscaler): AutoscalerConflict => ({
            kind: 'autoscaled',
            autoscaler: objectKey(autoscaler),
            object: objectOf(target),
          }),
        ),
    );
}
