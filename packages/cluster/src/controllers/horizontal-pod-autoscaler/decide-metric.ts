import type { Pod } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { formatQuantity, parseQuantity } from '@turnsole/kube/text/quantity';
import { decideReplicas, type ReplicaProposal, type ReplicaTarget } from './decide-replicas.ts';
import { type Measured, milliOf, podValues } from './pod-values.ts';
import type { MetricSpec, MetricStatus, PodMetrics } from './types.ts';

/** Input of the judgement of metrics. */
export interface MetricInput {
  readonly currentReplicas: number;
  readonly pods: readonly Pod[];
  /** Metrics of these pods; otherwise the failure to get them. */
  readonly metrics: readonly PodMetrics[] | Error;
  readonly nowMs: number;
}

/** What one metric asks for. */
interface MetricDecision {
  readonly replicas: number;
  /** Name of the metric in reasons. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric from which no number of replicas follows; `reason` is that of the condition and the Event. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** How many replicas one metric asks for. Pure. @throws MetricError */
export function decideMetric(spec: MetricSpec, input: MetricInput): MetricDecision {
  const { type, resource, containerResource } = spec;
  switch (type) {
    case 'Resource':
      if (resource === undefined) break;
      return decideResource(resource.target, { resource: resource.name }, 'FailedGetResourceMetric', input);
    case 'ContainerResource':
      if (containerResource === undefined) break;
      return decideResource(
        containerResource.target,
        { resource: containerResource.name, container: containerResource.container },
        'FailedGetContainerResourceMetric',
        input,
      );
    case 'Pods':
      throw notServed('FailedGetPodsMetric', 'pods metric', spec.pods?.metric.name, 'custom');
    case 'Object':
      throw notServed('FailedGetObjectMetric', 'object metric', spec.object?.metric.name, 'custom');
    case 'External':
      throw notServed('FailedGetExternalMetric', 'external metric', spec.external?.metric.name, 'external');
  }
  throw new MetricError('InvalidMetricSourceType', `unknown metric source type ${JSON.stringify(type)}`);
}

/** The embedded cluster has nothing that would serve such metrics. */
function notServed(reason: string, what: string, name = '', api: 'custom' | 'external'): MetricError {
  return new MetricError(
    reason,
    `failed to get ${what} value: unable to get metric ${name}: unable to fetch metrics from ${api} metrics API: ` +
      `no ${api} metrics API (${api}.metrics.k8s.io) registered`,
  );
}

function decideResource(
  target: { readonly averageUtilization?: number; readonly averageValue?: string | number },
  measured: Measured,
  reason: string,
  { currentReplicas, pods, metrics, nowMs }: MetricInput,
): MetricDecision {
  const { averageUtilization: percent, averageValue } = target;
  const { resource, container } = measured;
  const kind = container === undefined ? 'resource' : 'container resource';
  let aim: ReplicaTarget;
  if (averageValue !== undefined) aim = { kind: 'average', milli: milliOf(averageValue) };
  else if (percent !== undefined) aim = { kind: 'utilization', percent };
  else {
    throw new MetricError(
      reason,
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  }
  let proposal: ReplicaProposal;
  try {
    if (metrics instanceof Error) {
      const message = `unable to get metrics for resource ${resource}: ${metrics.message}`;
      throw new Error(message, { cause: metrics });
    }
    const values = podValues(metrics, measured);
    proposal = decideReplicas({ currentReplicas, pods, values, measured, target: aim, nowMs });
  } catch (cause) {
    const what = aim.kind === 'average' ? 'usage' : 'utilization';
    const why = messageOf(cause);
    throw new MetricError(reason, `failed to get ${resource} ${what}: ${why}`, { cause });
  }
  const { replicas, utilization, averageMilli } = proposal;
  const current = {
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    averageValue: formatQuantity(parseQuantity(`${averageMilli}m`)),
  };
  return {
    replicas,
    name: `${resource} ${kind}${aim.kind === 'average' ? '' : ' utilization (percentage of request)'}`,
    status:
      container === undefined
        ? { type: 'Resource', resource: { name: resource, current } }
        : { type: 'ContainerResource', containerResource: { name: resource, container, current } },
  };
}
