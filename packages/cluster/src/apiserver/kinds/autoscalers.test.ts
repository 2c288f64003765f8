import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../object.ts';
import { startTestServer } from '../testing/test-server.ts';

const V1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const V2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const REFERENCE = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

const share = (name: string, percent: number): Json => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization: percent } },
});
const hpa = (name: string, spec: Json): Json => ({
  metadata: { name },
  spec: { scaleTargetRef: REFERENCE, maxReplicas: 5, ...spec },
});

test('defaults are those of Kubernetes', async (t) => {
  const server = await startTestServer(t);
  const plain = await server.call('POST', V2, { body: hpa('plain', {}) });
  assert.deepEqual(plain.body.spec, {
    scaleTargetRef: REFERENCE,
    minReplicas: 1,
    maxReplicas: 5,
    metrics: [share('cpu', 80)],
  });
  const behavior = { scaleDown: { stabilizationWindowSeconds: 5 } };
  const behaved = await server.call('POST', V2, { body: hpa('behaved', { behavior }) });
  assert.deepEqual((behaved.body.spec as Json).behavior, {
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    },
    scaleDown: {
      stabilizationWindowSeconds: 5,
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    },
  });
});

test('what is not allowed is refused, field by field', async (t) => {
  const server = await startTestServer(t);
  const behavior = (rules: Json): Json => ({ behavior: { scaleDown: rules } });
  const policy = { type: 'Pods', value: 1, periodSeconds: 15 };
  const target = (source: Json): Json => ({ metrics: [{ type: 'Resource', resource: source }] });
  const table: readonly (readonly [string, Json, readonly string[]])[] = [
    ['the lowest', { minReplicas: 0 }, ['spec.minReplicas']],
    ['the highest', { minReplicas: 6 }, ['spec.maxReplicas']],
    [
      'kind and name',
      { scaleTargetRef: { name: 'a/b' } },
      ['spec.scaleTargetRef.kind', 'spec.scaleTargetRef.name', 'spec.scaleTargetRef.apiVersion'],
    ],
    ['no type', { metrics: [{ type: '' }] }, ['spec.metrics[0].type']],
    ['another type', { metrics: [{ type: 'Nonsense' }] }, ['spec.metrics[0].type']],
    ['no source', { metrics: [{ type: 'Pods' }] }, ['spec.metrics[0].pods']],
    [
      'two sources',
      {
        metrics: [
          { ...share('cpu', 50), external: { metric: { name: 'q' }, target: { type: 'Value', value: '1' } } },
        ],
      },
      ['spec.metrics[0].external'],
    ],
    [
      'no amount',
      target({ name: 'cpu', target: { type: 'Utilization' } }),
      ['spec.metrics[0].resource.target.averageUtilization'],
    ],
    [
      'two amounts',
      target({ name: 'cpu', target: { type: 'Utilization', averageUtilization: 50, averageValue: '1' } }),
      ['spec.metrics[0].resource.target.averageValue'],
    ],
    [
      'nothing',
      target({ name: 'cpu', target: { type: 'AverageValue', averageValue: '0' } }),
      ['spec.metrics[0].resource.target.averageValue'],
    ],
    [
      'no name',
      target({ name: '', target: { type: 'Utilization', averageUtilization: 5 } }),
      ['spec.metrics[0].resource.name'],
    ],
    [
      'target type',
      target({ name: 'cpu', target: { type: 'Other', averageUtilization: 5 } }),
      ['spec.metrics[0].resource.target.type'],
    ],
    [
      'no container',
      {
        metrics: [
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'cpu',
              container: '',
              target: { type: 'Utilization', averageUtilization: 5 },
            },
          },
        ],
      },
      ['spec.metrics[0].containerResource.container'],
    ],
    [
      'pods',
      { metrics: [{ type: 'Pods', pods: { metric: { name: '' }, target: { type: 'Value', value: '1' } } }] },
      ['spec.metrics[0].pods.metric.name', 'spec.metrics[0].pods.target.averageValue'],
    ],
    [
      'object',
      {
        metrics: [
          {
            type: 'Object',
            object: {
              describedObject: { kind: 'Service' },
              metric: { name: 'm' },
              target: { type: 'Value' },
            },
          },
        ],
      },
      ['spec.metrics[0].object.describedObject.name', 'spec.metrics[0].object.target.averageValue'],
    ],
    [
      'a long window',
      behavior({ stabilizationWindowSeconds: 3601 }),
      ['spec.behavior.scaleDown.stabilizationWindowSeconds'],
    ],
    [
      'a window before now',
      behavior({ stabilizationWindowSeconds: -1 }),
      ['spec.behavior.scaleDown.stabilizationWindowSeconds'],
    ],
    ['a choice', behavior({ selectPolicy: 'Best' }), ['spec.behavior.scaleDown.selectPolicy']],
    [
      'a policy',
      behavior({ policies: [policy, { type: 'Cores', value: 0, periodSeconds: 1801 }] }),
      ['type', 'value', 'periodSeconds'].map((field) => `spec.behavior.scaleDown.policies[1].${field}`),
    ],
  ];
  for (const [name, spec, fields] of table) {
    const { status, body } = await server.call('POST', V2, { body: hpa('h', spec) });
    const causes = ((body.details as Json)?.causes ?? []) as { field: string }[];
    assert.equal(status, 422, `${name}: ${JSON.stringify(body)}`);
    assert.deepEqual(
      causes.map(({ field }) => field),
      fields,
      name,
    );
  }
});

test('a client of v1 writes back what it has read, and nothing is lost', async (t) => {
  const server = await startTestServer(t);
  const spec = {
    minReplicas: 1,
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 7,
        selectPolicy: 'Min',
        policies: [{ type: 'Pods', value: 2, periodSeconds: 30 }],
      },
      scaleDown: {
        stabilizationWindowSeconds: 9,
        selectPolicy: 'Disabled',
        policies: [{ type: 'Percent', value: 5, periodSeconds: 60 }],
      },
    },
    metrics: [
      share('memory', 70),
      {
        type: 'ContainerResource',
        containerResource: {
          name: 'cpu',
          container: 'app',
          target: { type: 'AverageValue', averageValue: '250m' },
        },
      },
      {
        type: 'Pods',
        pods: {
          metric: { name: 'queue', selector: { matchLabels: { a: 'b' } } },
          target: { type: 'AverageValue', averageValue: '3' },
        },
      },
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
          metric: { name: 'hits' },
          target: { type: 'Value', value: '2k' },
        },
      },
      {
        type: 'External',
        external: {
          metric: { name: 'jobs', selector: { matchLabels: { c: 'd' } } },
          target: { type: 'AverageValue', averageValue: '30' },
        },
      },
      share('cpu', 50),
    ],
  };
  const made = await server.call('POST', V2, { body: hpa('h', spec) });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const status = {
    currentReplicas: 2,
    desiredReplicas: 3,
    conditions: [
      {
        type: 'AbleToScale',
        status: 'True',
        reason: 'ReadyForNewScale',
        message: 'm',
        lastTransitionTime: '2030-01-01T00:00:00Z',
      },
    ],
    currentMetrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', current: { averageUtilization: 42, averageValue: '84m' } },
      },
    ],
  };
  const updated = await server.call('PUT', `${V2}/h/status`, { body: { ...made.body, status } });
  assert.equal(updated.status, 200, JSON.stringify(updated.body));
  const old = (await server.call('GET', `${V1}/h`)).body;
  assert.equal((old.spec as Json).targetCPUUtilizationPercentage, 50);
  assert.equal((old.status as Json).currentCPUUtilizationPercentage, 42);
  const { annotations } = old.metadata as { annotations: Record<string, string> };
  assert.deepEqual(JSON.parse(annotations['autoscaling.alpha.kubernetes.io/metrics'] ?? '')[0], {
    type: 'Resource',
    resource: { name: 'memory', targetAverageUtilization: 70 },
  });
  const written = await server.call('PUT', `${V1}/h`, {
    body: { ...old, spec: { ...(old.spec as Json), maxReplicas: 9 } },
  });
  assert.equal(written.status, 200, JSON.stringify(written.body));
  const now = (await server.call('GET', `${V2}/h`)).body;
  assert.deepEqual(now.spec, { ...(made.body.spec as Json), maxReplicas: 9 });
  assert.deepEqual(now.status, status);
  assert.equal((now.metadata as Json).annotations, undefined);
});

test('a table shows what is used and what is aimed at', async (t) => {
  const server = await startTestServer(t);
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  };
  await server.call('POST', V2, {
    body: hpa('h', { metrics: [share('cpu', 50), memory, share('storage', 5)] }),
  });
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const targets = async (path: string): Promise<unknown> => {
    const { body } = await server.call('GET', `${path}/h`, { headers });
    return (body.rows as { cells: unknown[] }[])[0]?.cells[2];
  };
  assert.equal(await targets(V2), 'cpu: <unknown>/50%, memory: <unknown>/1Gi + 1 more...');
  const currentMetrics = [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 12, averageValue: '9m' } } },
    { type: 'Resource', resource: { name: 'memory', current: { averageValue: '5Mi' } } },
  ];
  const status = { currentReplicas: 1, desiredReplicas: 1, currentMetrics };
  await server.call('PATCH', `${V2}/h/status`, { body: { status }, type: 'application/merge-patch+json' });
  assert.equal(await targets(V2), 'cpu: 12%/50%, memory: 5Mi/1Gi + 1 more...');
  // The CPU, which has a field of its own there, comes last.
  assert.equal(await targets(V1), 'memory: 5Mi/1Gi, storage: <unknown>/5% + 1 more...');
});
