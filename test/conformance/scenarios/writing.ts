/** Writing objects: names, generated names, optimistic concurrency, and what is refused. */
import type { Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

const CM = core('configmaps');

export const WRITING: Theme = {
  theme: 'writing',
  scenarios: [
    {
      name: 'generate-name',
      steps: [
        post(
          CM,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } },
          { capture: { name: '/metadata/name' } },
        ),
        get(`${CM}/{name}`),
        remove(`${CM}/{name}`),
        get(`${CM}/{name}`),
      ],
    },
    {
      name: 'generate-name-is-cut',
      steps: [post(CM, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x'.repeat(70) } })],
    },
    {
      name: 'name-wins-over-generate-name',
      steps: [post(CM, configMap('given', { metadata: { generateName: 'made-' } }))],
    },
    {
      name: 'generate-name-of-bad-prefix',
      steps: [
        post(
          CM,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'Bad_' } },
          {
            // The random end is part of the message.
            ignore: ['/body/message', '/body/details/name', '/body/details/causes'],
          },
        ),
      ],
    },
    {
      name: 'name-required',
      steps: [
        post(CM, { apiVersion: 'v1', kind: 'ConfigMap' }),
        post(CM, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
        post(core('pods'), {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'b' }], automountServiceAccountToken: false },
        }),
      ],
    },
    {
      name: 'name-invalid',
      steps: [
        post(CM, configMap('Upper')),
        post(CM, configMap('under_score')),
        post(CM, configMap('-dash')),
        post(CM, configMap('y'.repeat(254))),
        post(core('services'), {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: '1-digit' },
          spec: { ports: [{ port: 1 }] },
        }),
        post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dot.ted' } }),
        post(apis('rbac.authorization.k8s.io/v1', 'roles'), {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'a/b' },
        }),
      ],
    },
    {
      name: 'role-names-may-have-colons',
      steps: [
        post(apis('rbac.authorization.k8s.io/v1', 'roles'), {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'a:b:C' },
        }),
      ],
    },
    {
      name: 'labels-invalid',
      steps: [
        post(CM, configMap('l', { metadata: { labels: { 'bad key': 'x' } } })),
        post(CM, configMap('l', { metadata: { labels: { key: 'bad value' } } })),
        post(CM, configMap('l', { metadata: { labels: { key: 'v'.repeat(64) } } })),
        post(CM, configMap('l', { metadata: { labels: { '/x': 'v', 'a/b/c': 'v', 'UPPER/x': 'v' } } }), {
          // Causes come in no particular order.
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(CM, configMap('l', { metadata: { annotations: { 'bad key': 'x' } } })),
        post(CM, configMap('l', { metadata: { annotations: { 'Upper.Case/key': 'x' } } })),
      ],
    },
    {
      name: 'labels-of-wrong-type',
      steps: [
        post(CM, configMap('l', { metadata: { labels: { n: 1 } } }), {
          // The text after the field is the decoder's own.
          ignore: ['/body/message'],
        }),
        post(CM, configMap('l', { data: { n: 1 } }), { ignore: ['/body/message'] }),
        post(CM, configMap('l', { data: ['a'] }), { ignore: ['/body/message'] }),
        post(core('pods'), pod('p', { spec: { containers: 'none' } }), { ignore: ['/body/message'] }),
      ],
    },
    {
      name: 'namespace-of-body',
      steps: [
        post(CM, configMap('same', { metadata: { namespace: '{ns}' } })),
        post(CM, configMap('other', { metadata: { namespace: 'default' } })),
        put(`${CM}/same`, configMap('same', { metadata: { namespace: 'default' } })),
        patch('merge', `${CM}/same`, { metadata: { namespace: 'default' } }),
      ],
    },
    {
      name: 'namespace-missing',
      steps: [
        post('/api/v1/namespaces/c-is-not-there/configmaps', configMap('a')),
        get('/api/v1/namespaces/c-is-not-there/configmaps'),
        get('/api/v1/namespaces/c-is-not-there/configmaps/a'),
        remove('/api/v1/namespaces/c-is-not-there/configmaps/a'),
        post('/api/v1/namespaces/c-is-not-there/pods', pod('a')),
      ],
    },
    {
      name: 'name-of-body-and-path',
      steps: [
        setup(post(CM, configMap('a'))),
        put(`${CM}/a`, configMap('b')),
        put(`${CM}/a`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
        patch('merge', `${CM}/a`, { metadata: { name: 'b' } }),
      ],
    },
    {
      name: 'kind-of-body-and-path',
      steps: [
        // The messages name places in the source of the server.
        post(
          CM,
          { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
          { ignore: ['/body/message'] },
        ),
        post(
          CM,
          { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
          { ignore: ['/body/message'] },
        ),
        post(
          CM,
          { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
          { ignore: ['/body/message'] },
        ),
        post(
          CM,
          { apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'a' } },
          { ignore: ['/body/message'] },
        ),
        post(CM, { metadata: { name: 'a' } }),
        post(CM, { kind: 'ConfigMap', metadata: { name: 'b' } }),
        post(CM, { apiVersion: 'v1', metadata: { name: 'c' } }),
        post(apis('apps/v1', 'deployments'), { kind: 'Deployment', metadata: { name: 'a' } }),
      ],
    },
    {
      name: 'already-exists',
      steps: [
        post(CM, configMap('a')),
        post(CM, configMap('a', { data: { b: 'c' } })),
        post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '{ns}' } }),
      ],
    },
    {
      name: 'create-with-resource-version',
      steps: [
        post(CM, configMap('a', { metadata: { resourceVersion: '1' } })),
        post(
          CM,
          configMap('a', {
            metadata: {
              uid: '00000000-0000-0000-0000-000000000000',
              creationTimestamp: '2020-01-01T00:00:00Z',
              generation: 7,
              selfLink: '/x',
              deletionTimestamp: '2020-01-01T00:00:00Z',
            },
          }),
          {
            // selfLink is set by nobody any more.
            ignore: ['/body/metadata/selfLink'],
          },
        ),
      ],
    },
    {
      name: 'update-checks-version',
      steps: [
        post(CM, configMap('a', { data: { n: '1' } }), { capture: { first: '/metadata/resourceVersion' } }),
        put(`${CM}/a`, configMap('a', { metadata: { resourceVersion: '{first}' }, data: { n: '2' } })),
        put(`${CM}/a`, configMap('a', { metadata: { resourceVersion: '{first}' }, data: { n: '3' } })),
        put(`${CM}/a`, configMap('a', { data: { n: '4' } })),
        put(`${CM}/a`, configMap('a', { metadata: { resourceVersion: 'abc' } })),
        put(`${CM}/a`, configMap('a', { metadata: { resourceVersion: '99999999999' } })),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'update-checks-uid',
      steps: [
        post(CM, configMap('a'), { capture: { uid: '/metadata/uid' } }),
        put(`${CM}/a`, configMap('a', { metadata: { uid: '00000000-0000-0000-0000-000000000000' } })),
        put(`${CM}/a`, configMap('a', { metadata: { uid: '{uid}' }, data: { a: 'b' } })),
        patch('merge', `${CM}/a`, { metadata: { uid: '00000000-0000-0000-0000-000000000000' } }),
      ],
    },
    {
      name: 'update-without-change',
      steps: [
        post(CM, configMap('a', { data: { n: '1' } })),
        put(`${CM}/a`, configMap('a', { data: { n: '1' } })),
        patch('merge', `${CM}/a`, { data: { n: '1' } }),
        patch('merge', `${CM}/a`, {}),
        patch('json', `${CM}/a`, []),
        patch('strategic', `${CM}/a`, { data: { n: '1' } }),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'update-of-nothing',
      steps: [
        put(`${CM}/none`, configMap('none')),
        patch('merge', `${CM}/none`, { data: { a: 'b' } }),
        patch('json', `${CM}/none`, [{ op: 'add', path: '/data', value: {} }]),
        patch('strategic', `${CM}/none`, { data: { a: 'b' } }),
      ],
    },
    {
      name: 'lease-update-creates',
      steps: [
        put(apis('coordination.k8s.io/v1', 'leases', 'new'), {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'new' },
          spec: { holderIdentity: 'me' },
        }),
        put(apis('coordination.k8s.io/v1', 'leases', 'other'), {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'other', resourceVersion: '1' },
          spec: {},
        }),
        put(core('endpoints', 'new'), { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'new' } }),
      ],
    },
    {
      name: 'immutable-metadata',
      steps: [
        setup(post(CM, configMap('a', { metadata: { labels: { a: '1' } } }))),
        patch('merge', `${CM}/a`, {
          metadata: { creationTimestamp: '2020-01-01T00:00:00Z', generation: 5, selfLink: '/x' },
        }),
        patch('merge', `${CM}/a`, {
          metadata: { creationTimestamp: null, labels: null, annotations: { b: '2' } },
        }),
        patch('merge', `${CM}/a`, { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
        patch('merge', `${CM}/a`, { metadata: { generateName: 'x-' } }),
        patch('merge', `${CM}/a`, { metadata: null }),
      ],
    },
    {
      name: 'immutable-config',
      steps: [
        setup(post(CM, configMap('a', { immutable: true, data: { a: '1' } }))),
        patch('merge', `${CM}/a`, { data: { a: '2' } }),
        patch('merge', `${CM}/a`, { immutable: false }),
        patch('merge', `${CM}/a`, { metadata: { labels: { fine: 'yes' } } }),
        setup(
          post(core('secrets'), {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 's' },
            immutable: true,
            data: { a: 'YQ==' },
          }),
        ),
        patch('merge', core('secrets', 's'), { data: { a: 'Yg==' } }),
      ],
    },
    {
      name: 'config-map-keys',
      steps: [
        post(CM, configMap('a', { data: { 'bad key': '1' } })),
        post(CM, configMap('a', { data: { same: '1' }, binaryData: { same: 'AAE=' } })),
        post(CM, configMap('a', { data: { '..': '1' } })),
        post(CM, configMap('a', { binaryData: { x: 'not base64!' } }), { ignore: ['/body/message'] }),
        post(CM, configMap('a', { data: { 'a.b-c_D': '' } })),
      ],
    },
  ],
};
