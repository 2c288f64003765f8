/** Custom resources: their definitions, schemas, versions and subresources. */
import type { Scenario, Theme } from '../harness/scenario.ts';
import { awaiting, collect, get, patch, post, put, remove, setup, watch } from '../harness/steps.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Definition {
  /** Group of the scenario: each has its own, so that definitions do not meet. */
  readonly group: string;
  readonly schema?: object;
  readonly version?: object;
  readonly spec?: object;
}

const SPEC_SCHEMA = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    color: { type: 'string', enum: ['red', 'green'], default: 'red' },
    name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    port: { 'x-kubernetes-int-or-string': true },
    nested: {
      type: 'object',
      properties: { on: { type: 'boolean', default: true }, level: { type: 'integer' } },
    },
    empty: { type: 'string', nullable: true },
  },
};

const SCHEMA = {
  type: 'object',
  properties: {
    spec: SPEC_SCHEMA,
    status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
  },
};

function definition({ group, schema = SCHEMA, version = {}, spec = {} }: Definition): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
      },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
      ],
      ...spec,
    },
  };
}

function path(group: string, rest = ''): string {
  return `/apis/${group}/v1/namespaces/{ns}/widgets${rest === '' ? '' : `/${rest}`}`;
}

function widget(group: string, name: string, spec: object, extra: object = {}): object {
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec, ...extra };
}

/** Without what keeps a version 2 of OpenAPI from describing it. */
const SMALL_SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    },
  },
};

/** Creates a definition and waits until its resources are served. */
function established(of: Definition) {
  return [
    setup(post(CRDS, definition(of))),
    setup(
      awaiting(`${CRDS}/widgets.${of.group}`, {
        equals: { '/status/conditions/1/type': 'Established', '/status/conditions/1/status': 'True' },
      }),
    ),
    setup(awaiting(path(of.group))),
  ];
}

/** A scenario with a group of its own, `<name>.example.com`. */
function scenario(name: string, steps: (group: string) => Scenario['steps']): Scenario {
  return { name: `crd-${name}`, steps: steps(`${name}.example.com`) };
}

const REWORDED = { ignore: ['/body/message', '/body/details/causes'] };
/** What columns mean is told in other words by each server. */
const COLUMN_TEXTS = { ignore: ['/body/columnDefinitions/*/description'] };

export const CUSTOM_RESOURCES: Theme = {
  theme: 'crds',
  scenarios: [
    scenario('create', (group) => [
      // How soon the names are accepted is the server's own business.
      post(CRDS, definition({ group }), { ignore: ['/body/status'] }),
      awaiting(`${CRDS}/widgets.${group}`, {
        equals: { '/status/conditions/1/type': 'Established', '/status/conditions/1/status': 'True' },
        ignore: ['/body/metadata/resourceVersion'],
      }),
      setup(awaiting(path(group))),
      get(path(group)),
      // The hash is each server's own.
      get(`/apis/${group}/v1`, { ignore: ['/body/resources/*/storageVersionHash'] }),
      get(`/apis/${group}`),
      get(`${CRDS}?fieldSelector=metadata.name%3Dwidgets.${group}`, {
        ignore: ['/body/items/*/metadata/resourceVersion'],
      }),
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
    scenario('defaults', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 1, nested: {} })),
      post(path(group), widget(group, 'b', { size: 1, color: 'green', nested: { on: false } })),
      patch('merge', path(group, 'b'), { spec: { color: null } }),
      post(path(group), widget(group, 'c', { size: 1, color: null, empty: null })),
    ]),
    scenario('pruning', (group) => [
      ...established({ group }),
      // Warnings about unknown fields are of later versions.
      post(
        `${path(group)}?fieldValidation=Ignore`,
        widget(
          group,
          'a',
          { size: 1, unknown: 1, anything: { goes: [1] }, nested: { unknown: 1, level: 2 } },
          { top: 'x' },
        ),
      ),
      patch('merge', `${path(group, 'a')}?fieldValidation=Ignore`, { spec: { other: true } }),
    ]),
    scenario('validation', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', {})),
      post(path(group), widget(group, 'a', { size: 0 })),
      post(path(group), widget(group, 'a', { size: 11 })),
      post(path(group), widget(group, 'a', { size: 'big' })),
      post(path(group), widget(group, 'a', { size: 1.5 })),
      post(path(group), widget(group, 'a', { size: 1, color: 'blue' })),
      post(path(group), widget(group, 'a', { size: 1, name: 'A1' })),
      // Later versions word these three otherwise.
      post(path(group), widget(group, 'a', { size: 1, name: 'toolong' }), REWORDED),
      post(path(group), widget(group, 'a', { size: 1, tags: ['a', 'b', 'c'] }), REWORDED),
      post(path(group), widget(group, 'a', { size: 1, tags: [1] }), REWORDED),
      post(path(group), widget(group, 'a', { size: 1, tags: 'a' })),
      post(path(group), widget(group, 'a', { size: 1, nested: [] })),
      post(path(group), { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: 'text' }),
      post(path(group), widget(group, 'a', { size: 1, port: true })),
      post(path(group), widget(group, 'a', { size: 1, port: 'http' })),
      patch('merge', path(group, 'a'), { spec: { size: 99 } }),
    ]),
    scenario('validation-of-several', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'a', { size: 'x', color: 'blue' }), {
        // Problems come in no particular order.
        ignore: ['/body/message', '/body/details/causes'],
      }),
    ]),
    scenario('validation-of-metadata', (group) => [
      ...established({ group }),
      post(path(group), widget(group, 'Bad_Name', { size: 1 })),
      post(
        path(group),
        widget(group, 'a', { size: 1 }, { metadata: { name: 'a', labels: { 'bad key': 'x' } } }),
      ),
      post(path(group), { apiVersion: `${group}/v1`, kind: 'Widget', spec: { size: 1 } }),
      post(path(group), widget(group, 'a', { size: 1 }, { kind: 'Gadget' })),
      post(path(group), widget(group, 'a', { size: 1 }, { apiVersion: `${group}/v2` })),
      // The decoder's text goes on.
      post(path(group), { metadata: { name: 'a' }, spec: { size: 1 } }, { ignore: ['/body/message'] }),
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
    scenario('printer-columns', (group) => [
      ...established({
        group,
        version: {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
            { name: 'Color', type: 'string', jsonPath: '.spec.color' },
            { name: 'Tags', type: 'string', jsonPath: '.spec.tags', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      }),
      setup(post(path(group), widget(group, 'a', { size: 1, tags: ['x', 'y'] }))),
      setup(post(path(group), widget(group, 'b', { size: 2 }))),
      get(path(group), {
        ...COLUMN_TEXTS,
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      }),
      get(path(group, 'a'), {
        ...COLUMN_TEXTS,
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      }),
    ]),
    scenario('default-columns', (group) => [
      ...established({ group }),
      setup(post(path(group), widget(group, 'a', { size: 1 }))),
      get(path(group), {
        ...COLUMN_TEXTS,
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      }),
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
    scenario('apply', (group) => [
      ...established({ group, schema: SMALL_SCHEMA }),
      patch('apply', `${path(group, 'a')}?fieldManager=one`, widget(group, 'a', { size: 1, tags: ['x'] }), {
        managedFields: true,
      }),
      patch('apply', `${path(group, 'a')}?fieldManager=two`, widget(group, 'a', { size: 2 }), {
        managedFields: true,
      }),
      patch('apply', `${path(group, 'a')}?fieldManager=two&force=true`, widget(group, 'a', { size: 2 }), {
        managedFields: true,
      }),
      patch('apply', `${path(group, 'a')}?fieldManager=one`, widget(group, 'a', { size: 2 }), {
        managedFields: true,
      }),
    ]),
    scenario('apply-unknown-fields', (group) => [
      ...established({ group, schema: SMALL_SCHEMA }),
      patch('apply', `${path(group, 'a')}?fieldManager=one`, widget(group, 'a', { size: 1, sise: 2 }), {
        managedFields: true,
      }),
    ]),
    scenario('any-schema', (group) => [
      ...established({ group, schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }),
      post(
        path(group),
        widget(group, 'a', { what: { ever: [1, 'two', null, { three: 3.5 }] } }, { extra: true }),
      ),
      patch('merge', path(group, 'a'), { spec: { what: { ever: null, more: 1e6 } } }),
      get(path(group, 'a')),
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
    scenario('change-schema', (group) => [
      ...established({ group }),
      setup(post(path(group), widget(group, 'a', { size: 5 }))),
      patch(
        'json',
        `${CRDS}/widgets.${group}`,
        [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum',
            value: 3,
          },
        ],
        { ignore: ['/body/status'] },
      ),
      awaiting(path(group, 'a'), { setup: true }),
      get(path(group, 'a')),
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
