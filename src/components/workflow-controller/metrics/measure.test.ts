import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PrometheusMetric } from '@turnsole/workflows/kinds/metrics';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import { createMetrics } from '../../../process/metrics.ts';
import type { StoredChange } from '../ports.ts';
import { CustomMetrics } from './custom-metrics.ts';
import { type Measured, measure } from './measure.ts';
import { metricUses } from './metrics-of.ts';

const NOW = Date.parse('2026-01-01T00:00:10Z');
const NAMES = new Map([
  ['status', 'Succeeded'],
  ['duration', '12.500000'],
  ['outputs.parameters.n', '7'],
]);

function measured(change: Partial<PrometheusMetric>): Measured | undefined {
  return measure({ name: 'm', help: 'h', ...change }, NAMES, { now: NOW, random: () => 0.5 });
}

const VALUES: readonly (readonly [change: Partial<PrometheusMetric>, value: Measured['value']])[] = [
  [{ counter: { value: '1' } }, { kind: 'counter', amount: 1 }],
  [{ counter: { value: '{{outputs.parameters.n}}' } }, { kind: 'counter', amount: 7 }],
  [{ gauge: { value: '{{duration}}' } }, { kind: 'gauge', operation: 'Set', amount: 12.5 }],
  [
    { gauge: { value: '{{=asInt(outputs.parameters.n) * 2}}', operation: 'Sub' } },
    { kind: 'gauge', operation: 'Sub', amount: 14 },
  ],
  [{ gauge: { value: '{{duration}}', realtime: true } }, { kind: 'duration' }],
  [{ gauge: { value: '{{workflow.duration}}', realtime: true } }, { kind: 'duration' }],
  [{ histogram: { value: '3', buckets: ['1', 2.5] } }, { kind: 'histogram', amount: 3, buckets: [1, 2.5] }],
];
for (const [change, value] of VALUES) {
  test(`metric: ${JSON.stringify(change)}`, () => assert.deepEqual(measured(change)?.value, value));
}

test('labels have their tags replaced, and the condition decides', () => {
  const counter = { value: '1' };
  const found = measured({ counter, labels: [{ key: 'status', value: '{{status}}' }] });
  assert.deepEqual([found?.name, found?.labels], ['argo_workflows_m', { status: 'Succeeded' }]);
  assert.equal(measured({ counter, when: '{{status}} == Failed' }), undefined);
  assert.ok(measured({ counter, when: '{{status}} == Succeeded' }));
});

const WRONG: readonly (readonly [change: Partial<PrometheusMetric>, message: string])[] = [
  [
    { name: 'a-b', counter: { value: '1' } },
    'metric a-b: the name "a-b" may have letters, digits and _ only',
  ],
  [{ help: '', counter: { value: '1' } }, 'metric m: help is missing'],
  [{}, 'metric m: exactly one of gauge, counter and histogram is needed'],
  [
    { counter: { value: '1' }, labels: [{ key: 'a-b', value: '' }] },
    'metric m: the label "a-b" may have letters, digits and _ only',
  ],
  [{ counter: { value: 'many' } }, 'metric m: "many" is no number'],
  [{ counter: { value: '-1' } }, 'metric m: a counter cannot go down by 1'],
  [{ gauge: { value: '' } }, 'metric m: "" is no number'],
  [{ gauge: { value: '1', operation: 'Mul' } }, 'metric m: the operation "Mul" is none of Set, Add, Sub'],
  [
    { gauge: { value: '3', realtime: true } },
    'metric m: a realtime gauge shows {{duration}} or {{workflow.duration}}, not "3"',
  ],
  [{ counter: { value: '{{outputs.result}}' } }, 'metric m: "{{outputs.result}}" is no number'],
  [{ counter: { value: '1' }, when: 'no' }, "metric m: Expected boolean evaluation for 'no'. Got no"],
];
for (const [change, message] of WRONG)
  test(message, () => assert.throws(() => measured(change), { name: 'MetricError', message }));

async function lines(show: (custom: CustomMetrics) => void, ttlMs?: number): Promise<string[]> {
  const metrics = createMetrics({ withProcess: false });
  show(new CustomMetrics(metrics, () => ttlMs));
  const { body } = await metrics.page();
  return body.split('\n').filter((line) => line.startsWith('argo_'));
}

function one(value: Measured['value'], labels: Record<string, string> = { a: 'b' }): Measured {
  return { name: 'argo_workflows_m', help: 'h', labels, value };
}

test('values of one name add up as their kind says', async () => {
  const gauge = (operation: 'Set' | 'Add' | 'Sub', amount: number) =>
    one({ kind: 'gauge', operation, amount });
  assert.deepEqual(
    await lines((custom) => {
      for (const measured of [gauge('Set', 5), gauge('Add', 3), gauge('Sub', 1)]) custom.show(measured, NOW);
    }),
    ['argo_workflows_m{a="b"} 7'],
  );
  const buckets = await lines((custom) =>
    custom.show(one({ kind: 'histogram', amount: 2, buckets: [1, 3] }), NOW),
  );
  assert.deepEqual(buckets.slice(0, 2), [
    'argo_workflows_m_bucket{le="1",a="b"} 0',
    'argo_workflows_m_bucket{le="3",a="b"} 1',
  ]);
});

test('a duration goes on until it ends', async () => {
  const running = one({ kind: 'duration' });
  const begun = (custom: CustomMetrics): void => custom.begin('1', running, NOW - 1000, NOW);
  assert.deepEqual(
    await lines((custom) => {
      begun(custom);
      custom.refresh(NOW + 4000);
    }),
    ['argo_workflows_m{a="b"} 5'],
  );
  assert.deepEqual(
    await lines((custom) => {
      begun(custom);
      custom.end('1', NOW + 2000, NOW + 3000);
      custom.refresh(NOW + 9000);
    }),
    ['argo_workflows_m{a="b"} 3'],
  );
});

test('a metric that is not set for its time to live is no longer shown', async () => {
  const counter = one({ kind: 'counter', amount: 1 });
  const after = (ms: number) =>
    lines((custom) => {
      custom.show(counter, NOW);
      custom.refresh(NOW + ms);
    }, 5000);
  assert.deepEqual(await after(5000), ['argo_workflows_m{a="b"} 1']);
  assert.deepEqual(await after(5001), []);
});

test('a name is in use for one kind and one set of labels', async () => {
  const first = one({ kind: 'counter', amount: 1 });
  for (const second of [
    one({ kind: 'gauge', operation: 'Set', amount: 1 }),
    one({ kind: 'counter', amount: 1 }, { c: 'd' }),
  ])
    await lines((custom) => {
      custom.show(first, NOW);
      assert.throws(() => custom.show(second, NOW), {
        name: 'MetricError',
        message: /^metric argo_workflows_m is in use /,
      });
    });
});

const COUNTER: PrometheusMetric = { name: 'm', help: 'h', counter: { value: '1' } };

function used(
  phaseBefore: 'Running' | '',
  phase: 'Running' | 'Failed',
  nodes: readonly Partial<NodeStatus>[],
): string[] {
  const metrics = { prometheus: [COUNTER] };
  const spec = { metrics, templates: [{ name: 'main', metrics }] };
  const all = nodes.map((node, index): NodeStatus => {
    const id = `n${index}`;
    return {
      id,
      name: id,
      displayName: id,
      type: 'Pod',
      phase: 'Succeeded',
      templateName: 'main',
      templateScope: 'local/wf',
      ...node,
    };
  });
  const change: StoredChange = {
    workflow: { metadata: { name: 'wf', uid: 'u' }, spec },
    spec,
    status: {
      phase,
      storedTemplates: { 'namespaced/lib/t': { name: 't', metrics } },
      startedAt: '2026-01-01T00:00:00Z',
    },
    nodes: new Map(all.map((node) => [node.id, node])),
    phaseBefore,
    changes: all.map((after) => ({ after })),
  };
  return metricUses(change, NOW).map(
    ({ id, endedAt }) => `${id} ${endedAt === undefined ? 'begins' : 'ends'}`,
  );
}

test('metrics of the workflow, and of nodes by their templates', () => {
  assert.deepEqual(used('', 'Running', []), ['u/0 begins']);
  assert.deepEqual(used('Running', 'Failed', []), ['u/0 ends']);
  assert.deepEqual(
    used('Running', 'Running', [{}, { phase: 'Running' }, { phase: 'Skipped' }, { templateName: 'other' }]),
    ['u/n0/0 ends', 'u/n1/0 begins'],
  );
  const templateRef = { name: 'lib', template: 't' };
  assert.deepEqual(
    used('Running', 'Running', [{ templateRef }, { type: 'StepGroup' }, { nodeFlag: { retried: true } }]),
    ['u/n0/0 ends'],
  );
});
