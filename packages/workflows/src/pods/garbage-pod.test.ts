import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GarbageBatch } from '../artifacts/garbage.ts';
import type { ArtifactRepository } from '../artifacts/repository.ts';
import type { Artifact } from '../kinds/parameters.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import { type GarbagePlaces, garbageLocation } from './garbage-location.ts';
import { garbagePod } from './garbage-pod.ts';
import type { NodeOrder } from './helper.ts';

const SECRET = { name: 'cred', key: 'id' };
const STORE = { endpoint: 's3:9000', bucket: 'b', accessKeySecret: SECRET };
const REPOSITORY: ArtifactRepository = {
  store: { kind: 's3', fields: STORE },
  keyFormat: '{{workflow.name}}',
  archiveLogs: false,
};
const NODE: NodeStatus = {
  id: 'n',
  name: 'n',
  displayName: 'n',
  type: 'Pod',
  phase: 'Succeeded',
  templateName: 't',
};
const OTHER = { volume: { hostPath: { path: '/other' }, key: 'x' } };

test('where an artifact lies: in its own store, in that of its template, in the repository', () => {
  const plain: WorkflowSpec = { templates: [{ name: 't' }] };
  const own: WorkflowSpec = { templates: [{ name: 't', archiveLocation: OTHER }, { name: 'u' }] };
  const tagged = { volume: { hostPath: { path: '/{{inputs.parameters.x}}' } } };
  const key = { s3: { key: 'k' } };
  const rows: readonly [fields: object, spec: WorkflowSpec, node: object, expected: unknown][] = [
    [key, plain, {}, { s3: { ...STORE, key: 'k' } }],
    [{ volume: { key: 'k' } }, own, {}, { volume: { hostPath: { path: '/other' }, key: 'k' } }],
    [key, own, { templateName: 'u' }, { s3: { ...STORE, key: 'k' } }],
    [{ volume: { key: 'k', emptyDir: {} } }, own, {}, { volume: { key: 'k', emptyDir: {} } }],
    [key, own, { templateName: 'gone' }, 'its template is not known any more, which may say where it lies'],
    [
      { volume: { key: 'k' } },
      { templates: [{ name: 't', archiveLocation: tagged }] },
      {},
      'its location has a tag that stands for nothing outside of its step',
    ],
  ];
  for (const [fields, spec, more, expected] of rows) {
    const places: GarbagePlaces = { spec, storedTemplates: {}, repository: REPOSITORY };
    const found = garbageLocation({ name: 'a', ...fields }, { ...NODE, ...more }, places);
    if (typeof found === 'string') assert.equal(found, expected);
    else assert.deepEqual(found, { name: 'a', ...(expected as object) });
  }
  const nowhere: GarbagePlaces = { spec: plain, storedTemplates: {}, repository: undefined };
  assert.match(String(garbageLocation({ name: 'a', ...key }, NODE, nowhere)), /no artifact repository/);
});

const WORKFLOW: Workflow = { metadata: { name: 'w', namespace: 'shop', uid: 'u' }, spec: {} };
const BATCH: GarbageBatch = {
  podName: 'w-artgc-wfcomp-1',
  occasion: 'OnWorkflowCompletion',
  gc: {
    serviceAccountName: 'cleaner',
    podMetadata: { labels: { app: 'gc' }, annotations: { note: 'x' } },
    podSpecPatch: 'containers: [{name: main, resources: {limits: {cpu: 1}}}]',
  },
  garbage: [],
};

test('the pod has the account, metadata and patch that are asked for, and the credentials of the stores', () => {
  const helper = {
    image: 'turnsole',
    commands: { init: [], wait: [], resource: [], data: [], garbage: ['turnsole', 'garbage'] },
  };
  const spec: WorkflowSpec = { serviceAccountName: 'runs', nodeSelector: { disk: '{{workflow.name}}' } };
  const artifacts: Artifact[] = [
    { name: 'a', s3: { ...STORE, key: 'k' } },
    { name: 'b', ...OTHER },
  ];
  const make = (workflow: Workflow): ReturnType<typeof garbagePod> =>
    garbagePod({ workflow, spec, names: new Map([['workflow.name', 'w']]), now: 0 }, BATCH, artifacts, {
      helper,
    });
  const pod = make(WORKFLOW);
  assert.equal(pod.spec?.serviceAccountName, 'cleaner');
  assert.deepEqual(pod.spec?.nodeSelector, { disk: 'w' });
  assert.deepEqual(pod.metadata.labels, {
    app: 'gc',
    'workflows.argoproj.io/workflow': 'w',
    'workflows.argoproj.io/component': 'artifact-gc',
  });
  assert.equal(pod.metadata.annotations?.['note'], 'x');
  const [main] = pod.spec?.containers ?? [];
  assert.deepEqual(main?.command, ['turnsole', 'garbage']);
  assert.deepEqual(main?.resources, { limits: { cpu: 1 } });
  assert.deepEqual(
    main?.volumeMounts?.map(({ mountPath }) => mountPath),
    ['/var/run/turnsole-order.json', '/var/run/turnsole-stores/0', '/var/run/turnsole-secrets/cred'],
  );
  const order: NodeOrder = JSON.parse(pod.metadata.annotations?.['turnsole.io/order'] ?? '');
  assert.deepEqual(order.artifacts.garbage, [
    artifacts[0],
    { name: 'b', volume: { key: 'x', folder: '/var/run/turnsole-stores/0' } },
  ]);
  assert.equal(pod.metadata.ownerReferences?.[0]?.uid, 'u');
  const deleting = {
    ...WORKFLOW,
    metadata: { ...WORKFLOW.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  };
  assert.equal(make(deleting).metadata.ownerReferences, undefined, 'it would go before its work is done');
});
