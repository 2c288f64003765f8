import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AllowedChanges, DEFAULT_KINDS, namespacesOfRuns, refusalOf } from './allowed.ts';

const DEFAULTS: AllowedChanges = {
  kinds: new Set(DEFAULT_KINDS),
  namespaces: new Set(['litmus']),
  ownNamespace: 'litmus',
};
const EVERYTHING: AllowedChanges = { ...DEFAULTS, kinds: new Set(['*']), namespaces: new Set(['*']) };

test('runs are in the namespace of the agent, and where it may change something', () => {
  assert.deepEqual(namespacesOfRuns(DEFAULTS), ['litmus']);
  assert.deepEqual(namespacesOfRuns({ ...DEFAULTS, namespaces: new Set(['shop']) }), ['litmus', 'shop']);
  assert.equal(namespacesOfRuns(EVERYTHING), undefined);
});

const WORKFLOW = {
  verb: 'create',
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  namespace: 'litmus',
  name: 'w',
} as const;
const CONFIG = {
  verb: 'delete',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'litmus',
  name: 'subscriber-config',
} as const;
const DEPLOYMENTS = {
  verb: 'delete',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'litmus',
  labels: { app: 'subscriber' },
} as const;

const TABLE: readonly (readonly [
  name: string,
  change: Parameters<typeof refusalOf>[0],
  allowed: AllowedChanges,
  refusal?: RegExp,
])[] = [
  ['a workflow', WORKFLOW, DEFAULTS],
  [
    'a workflow elsewhere',
    { ...WORKFLOW, namespace: 'shop' },
    DEFAULTS,
    /^namespace shop is not allowed; ALLOWED_NAMESPACES .* litmus$/,
  ],
  [
    'a workflow of another group',
    { ...WORKFLOW, apiVersion: 'evil.io/v1' },
    DEFAULTS,
    /^kind Workflow.evil.io is not allowed/,
  ],
  [
    'a core kind with the name of ours',
    { ...WORKFLOW, apiVersion: 'v1' },
    DEFAULTS,
    /^kind Workflow is not allowed/,
  ],
  [
    'a role',
    { ...WORKFLOW, apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
    DEFAULTS,
    /^kind ClusterRole.rbac/,
  ],
  [
    'a kind of the cluster, where kinds are free',
    { ...WORKFLOW, kind: 'Node', namespace: '' },
    { ...DEFAULTS, kinds: new Set(['*']) },
    /^the whole cluster is not allowed/,
  ],
  ['its own config map', CONFIG, DEFAULTS],
  ['its own config map, created', { ...CONFIG, verb: 'create' }, DEFAULTS, /^kind ConfigMap is not allowed/],
  ['another config map', { ...CONFIG, name: 'kube-root-ca.crt' }, DEFAULTS, /^kind ConfigMap/],
  ['that of another namespace', { ...CONFIG, namespace: 'shop' }, DEFAULTS, /^kind ConfigMap/],
  ['its own deployment', DEPLOYMENTS, DEFAULTS],
  ['a deployment by name', { ...DEPLOYMENTS, name: 'shop' }, DEFAULTS, /^kind Deployment.apps/],
  [
    'deployments by another label',
    { ...DEPLOYMENTS, labels: { app: 'shop' } },
    DEFAULTS,
    /^kind Deployment.apps/,
  ],
  ['all deployments', { ...DEPLOYMENTS, labels: {} }, DEFAULTS, /^kind Deployment.apps/],
  ['a role, where everything is allowed', { ...WORKFLOW, kind: 'ClusterRole', namespace: '' }, EVERYTHING],
];

for (const [name, change, allowed, refusal] of TABLE) {
  test(`${name}: ${refusal === undefined ? 'allowed' : 'refused'}`, () => {
    const found = refusalOf(change, allowed);
    if (refusal === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', refusal);
  });
}
