import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';
import {
  type AutoscalingInput,
  decideAutoscaling,
  decideWithoutScale,
  notRescaled,
  rescaled,
} from './decide-autoscaling.ts';
import type { AutoscalerStatus, HorizontalPodAutoscaler, MetricSpec, PodMetrics } from './types.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');

const CPU: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const MEMORY: MetricSpec = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } },
};
const SIDE: MetricSpec = {
  type: 'ContainerResource',
  containerResource: {
    name: 'cpu',
    container: 'side',
    target: { type: 'AverageValue', averageValue: '50m' },
  },
};
const QUEUE: MetricSpec = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'Value', value: '5' } },
};

function pods(count: number): Pod[] {
  return Array.from({ length: count }, (_, index) => ({
    metadata: { name: `p${index}` },
    spec: {
      containers: [
        { name: 'main', resources: { requests: { cpu: '100m' } } },
        { name: 'side', resources: { requests: { cpu: '100m' } } },
      ],
    },
    status: {
      phase: 'Running',
      startTime: metaTime(NOW - 3_600_000),
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: metaTime(NOW - 3_500_000) }],
    },
  }));
}

/** Each pod uses this much CPU in each of its two containers, and memory in the first. */
function metrics(count: number, cpu: string, memory = '100Mi'): PodMetrics[] {
  return pods(count).map(({ metadata }) => ({
    metadata,
    timestamp: metaTime(NOW),
    window: '5s',
    containers: [
      { name: 'main', usage: { cpu, memory } },
      { name: 'side', usage: { cpu, memory: '0' } },
    ],
  }));
}

function input(
  spec: Partial<HorizontalPodAutoscaler['spec']>,
  replicas: number,
  change: Partial<AutoscalingInput> & { readonly status?: AutoscalerStatus } = {},
): AutoscalingInput {
  const { status, ...rest } = change;
  const autoscaler: HorizontalPodAutoscaler = {
    metadata: { name: 'h' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [CPU],
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
  return {
    autoscaler,
    scale: { metadata: { name: 'web' }, spec: { replicas }, status: { replicas, selector: 'app=web' } },
    pods: pods(replicas),
    metrics: metrics(replicas, '50m'),
    history: { recommendations: [], changes: [] },
    nowMs: NOW,
    ...rest,
  };
}

const conditionTexts = (status: AutoscalerStatus): string[] =>
  (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);

test('what an autoscaler does, and what it says of it', () => {
  const table: readonly {
    name: string;
    given: AutoscalingInput;
    /** Undefined: it stays. */
    to?: number;
    why?: string;
    conditions: readonly string[];
    events?: readonly string[];
  }[] = [
    {
      name: 'at its target',
      given: input({}, 2),
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
    },
    {
      name: 'up',
      given: input({}, 2, { metrics: metrics(2, '100m') }),
      to: 4,
      why: 'cpu resource utilization (percentage of request) above target',
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
    },
    {
      name: 'up to the highest',
      given: input({ maxReplicas: 3 }, 2, { metrics: metrics(2, '100m') }),
      to: 3,
      why: 'cpu resource utilization (percentage of request) above target',
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=True TooManyReplicas',
      ],
    },
    {
      name: 'down, but not so soon: what there was counts as recommended',
      given: input({}, 4, { metrics: metrics(4, '10m') }),
      conditions: [
        'AbleToScale=True ScaleDownStabilized',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
    },
    {
      name: 'down, without a window',
      given: input({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }, 4, {
        metrics: metrics(4, '10m'),
      }),
      to: 1,
      why: 'All metrics below target',
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
    },
    {
      name: 'the metric that asks for most decides',
      given: input({ metrics: [CPU, MEMORY, SIDE] }, 2, { metrics: metrics(2, '75m', '300Mi') }),
      to: 6,
      why: 'memory resource above target',
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
    },
    {
      name: 'of one container',
      given: input({ metrics: [SIDE] }, 2, { metrics: metrics(2, '75m') }),
      to: 3,
      why: 'cpu container resource above target',
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
    },
    {
      name: 'another metric is not served: up by the one there is',
      given: input({ metrics: [QUEUE, CPU] }, 2, { metrics: metrics(2, '100m') }),
      to: 4,
      why: 'cpu resource utilization (percentage of request) above target',
      conditions: [
        'AbleToScale=True ReadyForNewScale',
        'ScalingActive=True ValidMetricFound',
        'ScalingLimited=False DesiredWithinRange',
      ],
      events: ['FailedGetExternalMetric'],
    },
    {
      name: 'but not down',
      given: input({ metrics: [CPU, QUEUE] }, 4, { metrics: metrics(4, '10m') }),
      conditions: ['AbleToScale=True SucceededGetScale', 'ScalingActive=False FailedGetExternalMetric'],
      events: ['FailedGetExternalMetric', 'FailedComputeMetricsReplicas'],
    },
    {
      name: 'no metrics yet',
      given: input({}, 2, { metrics: [] }),
      conditions: ['AbleToScale=True SucceededGetScale', 'ScalingActive=False FailedGetResourceMetric'],
      events: ['FailedGetResourceMetric', 'FailedComputeMetricsReplicas'],
    },
    {
      name: 'scaled to nothing by another client',
      given: input({}, 0),
      conditions: ['AbleToScale=True SucceededGetScale', 'ScalingActive=False ScalingDisabled'],
    },
    {
      name: 'above the highest',
      given: input({ maxReplicas: 3 }, 5, { metrics: [] }),
      to: 3,
      why: 'Current number of replicas above Spec.MaxReplicas',
      conditions: ['AbleToScale=True SucceededGetScale'],
    },
    {
      name: 'below the lowest',
      given: input({ minReplicas: 3 }, 2, { metrics: [] }),
      to: 3,
      why: 'Current number of replicas below Spec.MinReplicas',
      conditions: ['AbleToScale=True SucceededGetScale'],
    },
    {
      name: 'two autoscalers for the same pods',
      given: input({}, 2, { selectorProblem: { reason: 'AmbiguousSelector', message: 'n/a n/b' } }),
      conditions: ['AbleToScale=True SucceededGetScale', 'ScalingActive=False AmbiguousSelector'],
      events: ['AmbiguousSelector', 'FailedComputeMetricsReplicas'],
    },
  ];
  for (const { name, given, to, why, conditions, events = [] } of table) {
    const { rescale, status, events: notes } = decideAutoscaling(given);
    assert.deepEqual([rescale?.to, rescale?.reason], [to, why], name);
    assert.deepEqual(conditionTexts(status), conditions, name);
    assert.deepEqual(
      notes.map(({ reason }) => reason),
      events,
      name,
    );
    assert.equal(status.currentReplicas, given.scale.spec?.replicas, name);
  }
});

test('metrics that are not served say so', () => {
  const { status } = decideAutoscaling(input({ metrics: [QUEUE] }, 2));
  assert.match(
    status.conditions?.find(({ type }) => type === 'ScalingActive')?.message ?? '',
    /unable to compute the replica count: .*metric queue: .*no external metrics API \(external\.metrics\.k8s\.io\) registered/,
  );
});

test('what was measured is in the status, and goes on where a step is done', () => {
  const decision = decideAutoscaling(input({ metrics: [CPU, MEMORY] }, 2, { metrics: metrics(2, '100m') }));
  assert.deepEqual(decision.status.currentMetrics, [
    {
      type: 'Resource',
      resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '200m' } },
    },
    { type: 'Resource', resource: { name: 'memory', current: { averageValue: '104857600' } } },
  ]);
  const done = rescaled(decision, NOW + 1);
  assert.deepEqual(done.events, [
    {
      type: 'Normal',
      reason: 'SuccessfulRescale',
      message: 'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    },
  ]);
  assert.equal(conditionTexts(done.status)[0], 'AbleToScale=True SucceededRescale');
  assert.deepEqual([done.status.desiredReplicas, done.status.lastScaleTime], [4, metaTime(NOW)]);
  assert.deepEqual(done.history.changes, [{ atMs: NOW + 1, by: 2 }]);
  const failed = notRescaled(decision, 'no', NOW);
  assert.equal(conditionTexts(failed.status)[0], 'AbleToScale=False FailedUpdateScale');
  assert.deepEqual([failed.status.desiredReplicas, failed.events[0]?.reason], [2, 'FailedRescale']);
});

test('an autoscaler reports a target that is not there', () => {
  const { autoscaler } = input({}, 2);
  const { status, events } = decideWithoutScale(autoscaler, 'deployments.apps "web" not found', NOW);
  assert.deepEqual(conditionTexts(status), ['AbleToScale=False FailedGetScale']);
  assert.deepEqual(events, [
    { type: 'Warning', reason: 'FailedGetScale', message: 'deployments.apps "web" not found' },
  ]);
});

test('a condition keeps its time while its status stays', () => {
  const earlier = decideAutoscaling(input({}, 2)).status;
  const later = decideAutoscaling(input({}, 2, { status: earlier, nowMs: NOW + 60_000 })).status;
  assert.deepEqual(later.conditions, earlier.conditions);
});
