/** Custom resources: their life, versions, scopes, subresources and definitions. */
import type { Theme } from '../harness/scenario.ts';
import { awaiting, collect, get, patch, post, put, remove, setup, watch } from '../harness/steps.ts';
import { CRDS, definition, established, path, REWORDED, SCHEMA, scenario, widget } from './widgets.ts';

export const CUSTOM_RESOURCES: Theme = {
  theme: 'crds',
  scenarios: [
    scenario('create', (group) => [
      post(CRDS, definition({ group })),
      awaiting(`${CRDS}/widgets.${group}`, {
        equals: { '/status/conditions/1/type': 'Established', '/status/conditions/1/status': 'True' },
      }),
      setup(awaiting(path(group))),
      get(path(group)),
      // The hash is each server's own.
      get(`/apis/${group}/v1`, { ignore: ['/body/resources/*/storageVersionHash'] }),
      get(`/apis/${group}`),
      get(`${CRDS}?fieldSelector=metadata.name%3Dwidgets.${group}`),
    ]),
    scenario('crud', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 1 })),
      post(path(group), widget(group, 'a', { size: 1 })),
      get(path(group, 'a')),
      get(path(group)),
      get(`/apis/${group}/v1/widgets`),
      patch('merge', path(group, 'a'), { spec: { size: 2 } }),
      patch('json', path(group, 'a'), [{ op: 'add', path: '/spec/tags', value: ['x'] }]),
      patch('strategic', path(group, 'a'), { spec: { size: 3 } }),
      put(path(group, 'a'), widget(group, 'a', { size: 4 })),
      remove(path(group, 'a')),
      get(path(group, 'a')),
      remove(path(group, 'a')),
    ]),
    scenario('put-needs-version', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 1 }), {
        capture: { version: '/metadata/resourceVersion' },
      }),
      put(path(group, 'a'), widget(group, 'a', { size: 2 })),
      put(
        path(group, 'a'),
        widget(group, 'a', { size: 2 }, { metadata: { name: 'a', resourceVersion: '{version}' } }),
      ),
      put(
        path(group, 'a'),
        widget(group, 'a', { size: 3 }, { metadata: { name: 'a', resourceVersion: '{version}' } }),
      ),
      put(path(group, 'none'), widget(group, 'none', { size: 2 })),
      put(
        path(group, 'none'),
        widget(group, 'none', { size: 2 }, { metadata: { name: 'none', resourceVersion: '{version}' } }),
      ),
    ]),
    scenario('status', (group) => [
      ...established({ group, version: { subresources: { status: {} } } }),
      post(path(group), widget(group, 'a', { size: 1 }, { status: { phase: 'Given' } })),
      patch('merge', path(group, 'a/status'), {
        spec: { size: 9 },
        status: { phase: 'Ready' },
        metadata: { labels: { a: 'b' } },
      }),
      patch('merge', path(group, 'a'), { spec: { size: 2 }, status: { phase: 'Ignored' } }),
      get(path(group, 'a/status')),
      patch('merge', path(group, 'a'), { metadata: { labels: { c: 'd' } } }),
      patch('merge', path(group, 'a/status'), { status: { phase: 7 } }),
      patch('json', path(group, 'a/status'), [{ op: 'remove', path: '/status' }]),
    ]),
    scenario('without-status', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 1 }, { status: { phase: 'Given' } })),
      patch('merge', path(group, 'a'), { status: { phase: 'Changed' } }),
      patch('merge', path(group, 'a'), { metadata: { labels: { a: 'b' } } }),
      get(path(group, 'a/status')),
      patch('merge', path(group, 'a/status'), { status: { phase: 'Ready' } }),
      get(path(group, 'a/scale')),
    ]),
    scenario('scale', (group) => [
      ...established({
        group,
        version: {
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' },
          },
        },
      }),
      setup(post(path(group), widget(group, 'a', { size: 1 }))),
      get(path(group, 'a/scale')),
      setup(patch('merge', path(group, 'a/status'), { status: { replicas: 1 } })),
      patch('merge', path(group, 'a/scale'), { spec: { replicas: 3 } }),
      put(path(group, 'a/scale'), {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace: '{ns}' },
        spec: { replicas: 5 },
      }),
      get(path(group, 'a')),
      put(path(group, 'a/scale'), {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace: '{ns}' },
        spec: { replicas: -1 },
      }),
      get(path(group, 'none/scale')),
    ]),
    scenario('versions', (group) => [
      ...established({
        group,
        spec: {
          versions: [
            { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } },
            { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: SCHEMA } },
            { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: SCHEMA } },
          ],
        },
      }),
      get(`/apis/${group}`),
      setup(awaiting(`/apis/${group}/v1beta1/namespaces/{ns}/widgets`)),
      post(`/apis/${group}/v1beta1/namespaces/{ns}/widgets`, {
        ...widget(group, 'a', { size: 1 }),
        apiVersion: `${group}/v1beta1`,
      }),
      get(path(group, 'a')),
      get(`/apis/${group}/v1beta1/namespaces/{ns}/widgets`),
      get(`/apis/${group}/v1alpha1/namespaces/{ns}/widgets`),
      post(path(group), { ...widget(group, 'b', { size: 1 }), apiVersion: `${group}/v1beta1` }),
    ]),
    scenario('cluster-scoped', (group) => [
      setup(post(CRDS, definition({ group, spec: { scope: 'Cluster' } }))),
      setup(awaiting(`/apis/${group}/v1/widgets`)),
      post(`/apis/${group}/v1/widgets`, widget(group, 'a', { size: 1 })),
      get(`/apis/${group}/v1/widgets/a`),
      get(path(group)),
      post(path(group), widget(group, 'b', { size: 1 })),
    ]),
    scenario('selectors', (group) => [
      ...established({ group }),
      setup(
        post(
          path(group),
          widget(group, 'a', { size: 1 }, { metadata: { name: 'a', labels: { app: 'web' } } }),
        ),
      ),
      setup(post(path(group), widget(group, 'b', { size: 1 }))),
      get(`${path(group)}?labelSelector=app%3Dweb`),
      get(`${path(group)}?fieldSelector=metadata.name%3Db`),
      get(`${path(group)}?fieldSelector=spec.size%3D1`),
      get(`${path(group)}?limit=1`),
    ]),
    scenario('watch', (group) => [
      ...established({ group }),
      setup(get(path(group), { capture: { start: '/metadata/resourceVersion' } })),
      watch('w', `${path(group)}?resourceVersion={start}`),
      setup(post(path(group), widget(group, 'a', { size: 1 }))),
      setup(patch('merge', path(group, 'a'), { spec: { size: 2 } })),
      setup(remove(path(group, 'a'))),
      collect('w', { type: 'DELETED' }),
    ]),
    scenario('finalizers', (group) => [
      ...established({ group }),
      setup(
        post(
          path(group),
          widget(group, 'a', { size: 1 }, { metadata: { name: 'a', finalizers: ['example.com/hold'] } }),
        ),
      ),
      remove(path(group, 'a')),
      get(path(group, 'a')),
      patch('merge', path(group, 'a'), { metadata: { finalizers: null } }),
      get(path(group, 'a')),
    ]),
    scenario('delete-takes-its-objects', (group) => [
      ...established({ group }),
      setup(post(path(group), widget(group, 'a', { size: 1 }))),
      remove(`${CRDS}/widgets.${group}`),
      awaiting(`${CRDS}/widgets.${group}`, { status: 404 }),
      awaiting(path(group), { status: 404, setup: true }),
      get(path(group, 'a')),
    ]),
    scenario('delete-collection', (group) => [
      ...established({ group }),
      setup(
        post(
          path(group),
          widget(group, 'a', { size: 1 }, { metadata: { name: 'a', labels: { app: 'web' } } }),
        ),
      ),
      setup(post(path(group), widget(group, 'b', { size: 1 }))),
      remove(`${path(group)}?labelSelector=app%3Dweb`, undefined, {
        ignore: ['/body/items/*/metadata/resourceVersion'],
      }),
      get(path(group)),
    ]),
    scenario('invalid-definitions', (group) => [
      post(CRDS, { ...definition({ group }), metadata: { name: 'wrong' } }),
      post(CRDS, definition({ group, spec: { scope: 'Everywhere' } })),
      post(CRDS, definition({ group, spec: { versions: [] } }), {
        ignore: ['/body/message', '/body/details/causes'],
      }),
      post(CRDS, definition({ group, schema: { properties: { spec: { type: 'object' } } } })),
      // The value is printed in Go's own format.
      post(CRDS, definition({ group, version: { storage: false } }), REWORDED),
      post(
        CRDS,
        definition({
          group,
          schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: {} } } } },
        }),
      ),
      post(CRDS, definition({ group, version: { schema: {} } })),
      post(CRDS, definition({ group: 'nodots' })),
    ]),
    scenario('group-must-be-approved', () => [post(CRDS, definition({ group: 'widgets.k8s.io' }))]),
    scenario('names-conflict', (group) => [
      ...established({ group }),
      setup(
        post(CRDS, {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `others.${group}` },
          spec: {
            group,
            scope: 'Namespaced',
            names: { plural: 'others', kind: 'Widget' },
            versions: [
              { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
            ],
          },
        }),
      ),
      awaiting(`${CRDS}/others.${group}`, {
        equals: { '/status/conditions/0/type': 'NamesAccepted', '/status/conditions/1/type': 'Established' },
      }),
    ]),
    scenario('immutable-parts', (group) => [
      ...established({ group }),
      patch('merge', `${CRDS}/widgets.${group}`, { spec: { group: 'other.example.com' } }),
      patch('merge', `${CRDS}/widgets.${group}`, { spec: { scope: 'Cluster' } }),
      patch('merge', `${CRDS}/widgets.${group}`, { spec: { names: { kind: 'Gadget' } } }),
    ]),
    scenario('owned-by-custom-resources', (group) => [
      ...established({ group }),
      setup(post(path(group), widget(group, 'owner', { size: 1 }), { capture: { uid: '/metadata/uid' } })),
      setup(
        post('/api/v1/namespaces/{ns}/configmaps', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'c',
            ownerReferences: [
              { apiVersion: `${group}/v1`, kind: 'Widget', name: 'owner', uid: '{uid}', controller: true },
            ],
          },
        }),
      ),
      remove(path(group, 'owner')),
      awaiting('/api/v1/namespaces/{ns}/configmaps/c', { status: 404 }),
    ]),
    scenario('rbac', (group) => [
      ...established({ group }),
      get(path(group), { headers: { 'impersonate-user': 'jane' } }),
      setup(
        post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'r' },
          rules: [{ apiGroups: [group], resources: ['widgets'], verbs: ['list'] }],
        }),
      ),
      setup(
        post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: 'b' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects: [{ kind: 'User', name: 'jane' }],
        }),
      ),
      get(path(group), { headers: { 'impersonate-user': 'jane' } }),
      get(path(group, 'a'), { headers: { 'impersonate-user': 'jane' } }),
    ]),
  ],
};
