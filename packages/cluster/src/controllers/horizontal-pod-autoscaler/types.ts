import type { KubeObject, ObjectMeta } from '@turnsole/kube/kinds/core';
import type * as autoscaling from 'kubernetes-types/autoscaling/v2.d.ts';

export type HorizontalPodAutoscaler = Omit<autoscaling.HorizontalPodAutoscaler, 'metadata'> & {
  metadata: ObjectMeta;
};
export type AutoscalerStatus = autoscaling.HorizontalPodAutoscalerStatus;
export type AutoscalerCondition = autoscaling.HorizontalPodAutoscalerCondition;
export type ScalingRules = autoscaling.HPAScalingRules;
export type MetricSpec = autoscaling.MetricSpec;
export type MetricStatus = autoscaling.MetricStatus;

/** An autoscaling/v1 Scale, as the scale subresource gives it. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** A PodMetrics of metrics.k8s.io/v1beta1. */
export interface PodMetrics extends KubeObject {
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly {
    readonly name: string;
    readonly usage: Readonly<Record<string, string>>;
  }[];
}
