/** JSON, merge and strategic merge patches. */
import type { Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, pod, post, setup } from '../harness/steps.ts';

const CM = core('configmaps');
const DEPLOYMENTS = apis('apps/v1', 'deployments');

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', labels: { app: 'web' } },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'example.com/web:1',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            ports: [{ containerPort: 80 }, { containerPort: 81, name: 'admin' }],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
            args: ['one', 'two'],
          },
          { name: 'side', image: 'example.com/side:1' },
        ],
        volumes: [{ name: 'data', emptyDir: {} }],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      },
    },
  },
};

function containers(...changes: object[]): object {
  return { spec: { template: { spec: { containers: changes } } } };
}

export const PATCHING: Theme = {
  theme: 'patching',
  scenarios: [
    {
      name: 'json-patch-operations',
      steps: [
        setup(
          post(
            CM,
            configMap('a', { data: { a: '1', b: '2', b2: '3' }, metadata: { annotations: { 'x/y': '3' } } }),
          ),
        ),
        patch('json', `${CM}/a`, [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'replace', path: '/data/a', value: 'one' },
          { op: 'add', path: '/data/c', value: 'three' },
          { op: 'remove', path: '/data/b' },
          { op: 'copy', from: '/data/a', path: '/data/copy' },
          { op: 'move', from: '/data/c', path: '/data/moved' },
          { op: 'replace', path: '/metadata/annotations/x~1y', value: 'slash' },
          { op: 'add', path: '/metadata/labels', value: { new: 'yes' } },
        ]),
      ],
    },
    {
      name: 'json-patch-of-lists',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('json', `${DEPLOYMENTS}/d`, [
          { op: 'add', path: '/spec/template/spec/containers/0/args/-', value: 'three' },
          { op: 'add', path: '/spec/template/spec/containers/0/args/0', value: 'zero' },
          { op: 'remove', path: '/spec/template/spec/containers/1' },
          { op: 'replace', path: '/spec/replicas', value: 4 },
        ]),
      ],
    },
    {
      name: 'json-patch-test-fails',
      steps: [
        setup(post(CM, configMap('a', { data: { a: '1' } }))),
        patch('json', `${CM}/a`, [{ op: 'test', path: '/data/a', value: '2' }]),
        patch('json', `${CM}/a`, [{ op: 'test', path: '/data/none', value: '2' }]),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'json-patch-of-what-is-not-there',
      steps: [
        setup(post(CM, configMap('a'))),
        patch('json', `${CM}/a`, [{ op: 'remove', path: '/data/a' }]),
        patch('json', `${CM}/a`, [{ op: 'replace', path: '/data/a', value: 'x' }]),
        patch('json', `${CM}/a`, [{ op: 'add', path: '/data/a', value: 'x' }]),
        patch('json', `${CM}/a`, [{ op: 'add', path: '/data', value: { a: 'x' } }]),
        patch('json', `${CM}/a`, [{ op: 'remove', path: '/data/b' }]),
      ],
    },
    {
      name: 'json-patch-malformed',
      steps: [
        setup(post(CM, configMap('a', { data: { a: '1' } }))),
        patch('json', `${CM}/a`, { op: 'remove', path: '/data/a' }),
        // What the JSON decoder says is its own.
        patch('json', `${CM}/a`, 'nonsense', { ignore: ['/body/message'] }),
        patch('json', `${CM}/a`, [{ op: 'explode', path: '/data/a' }]),
        patch('json', `${CM}/a`, [{ op: 'add', path: '/data/n', value: 1 }], {
          ignore: ['/body/message', '/body/details/causes'],
        }),
      ],
    },
    {
      name: 'merge-patch-sets-and-removes',
      steps: [
        setup(post(CM, configMap('a', { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' } } }))),
        patch('merge', `${CM}/a`, {
          data: { a: null, c: '3' },
          metadata: { labels: { x: null }, annotations: { n: '1' } },
        }),
        patch('merge', `${CM}/a`, { data: null }),
        patch('merge', `${CM}/a`, { data: { z: null } }),
      ],
    },
    {
      name: 'merge-patch-replaces-lists',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch(
          'merge',
          `${DEPLOYMENTS}/d`,
          containers({ name: 'only', image: 'example.com/only:1' }, { name: 'x', image: 'y' }),
        ),
        patch('merge', `${DEPLOYMENTS}/d`, {
          spec: { template: { spec: { volumes: null, containers: [{ name: 'only', image: 'z' }] } } },
        }),
      ],
    },
    {
      name: 'merge-patch-malformed',
      steps: [
        setup(post(CM, configMap('a'))),
        // What the JSON decoder says is its own.
        patch('merge', `${CM}/a`, '{"data":', { ignore: ['/body/message', '/body/details/causes'] }),
        patch('merge', `${CM}/a`, '[]', { ignore: ['/body/message', '/body/details/causes'] }),
        patch('merge', `${CM}/a`, { data: 'text' }, { ignore: ['/body/message', '/body/details/causes'] }),
        patch(
          'merge',
          `${CM}/a`,
          { metadata: { labels: { a: 1 } } },
          { ignore: ['/body/message', '/body/details/causes'] },
        ),
      ],
    },
    {
      name: 'merge-patch-checks-version',
      steps: [
        post(CM, configMap('a'), { capture: { first: '/metadata/resourceVersion' } }),
        patch('merge', `${CM}/a`, { metadata: { resourceVersion: '{first}' }, data: { n: '1' } }),
        patch('merge', `${CM}/a`, { metadata: { resourceVersion: '{first}' }, data: { n: '2' } }),
        patch('strategic', `${CM}/a`, { metadata: { resourceVersion: '{first}' }, data: { n: '2' } }),
        patch('json', `${CM}/a`, [
          { op: 'replace', path: '/metadata/resourceVersion', value: '{first}' },
          { op: 'replace', path: '/data/n', value: '3' },
        ]),
      ],
    },
    {
      name: 'patch-to-invalid',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { replicas: -1 } }),
        patch('merge', `${DEPLOYMENTS}/d`, { metadata: { labels: { 'bad key': 'x' } } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { selector: { matchLabels: { app: 'other' } } } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { template: { spec: { containers: [] } } } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { template: { spec: { restartPolicy: 'Never' } } } }),
        patch('strategic', `${DEPLOYMENTS}/d`, containers({ name: 'new' })),
      ],
    },
    {
      name: 'patch-of-unknown-type',
      steps: [
        setup(post(CM, configMap('a'))),
        patch('merge', `${CM}/a`, '{}', { headers: { 'content-type': 'application/json' } }),
        patch('merge', `${CM}/a`, '{}', { headers: { 'content-type': 'text/plain' } }),
      ],
    },
    {
      name: 'strategic-merges-containers-by-name',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('strategic', `${DEPLOYMENTS}/d`, containers({ name: 'web', image: 'example.com/web:2' })),
        patch('strategic', `${DEPLOYMENTS}/d`, containers({ name: 'third', image: 'example.com/third:1' })),
        patch('strategic', `${DEPLOYMENTS}/d`, containers({ name: 'side', $patch: 'delete' })),
      ],
    },
    {
      name: 'strategic-merges-lists-in-containers',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch(
          'strategic',
          `${DEPLOYMENTS}/d`,
          containers({
            name: 'web',
            env: [
              { name: 'B', value: 'two' },
              { name: 'C', value: '3' },
            ],
            ports: [{ containerPort: 81, name: 'changed' }, { containerPort: 82 }],
            volumeMounts: [{ mountPath: '/data', name: 'data', readOnly: true }],
            args: ['replaced'],
          }),
        ),
        patch(
          'strategic',
          `${DEPLOYMENTS}/d`,
          containers({ name: 'web', env: [{ name: 'A', $patch: 'delete' }], args: null }),
        ),
      ],
    },
    {
      name: 'strategic-merges-volumes',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('strategic', `${DEPLOYMENTS}/d`, {
          spec: { template: { spec: { volumes: [{ name: 'more', configMap: { name: 'c' } }] } } },
        }),
        patch('strategic', `${DEPLOYMENTS}/d`, {
          spec: {
            template: { spec: { volumes: [{ name: 'data', emptyDir: null, hostPath: { path: '/x' } }] } },
          },
        }),
        patch('strategic', `${DEPLOYMENTS}/d`, {
          spec: { template: { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } } },
        }),
      ],
    },
    {
      name: 'strategic-retain-keys',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('strategic', `${DEPLOYMENTS}/d`, {
          spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
        }),
        patch('strategic', `${DEPLOYMENTS}/d`, {
          spec: {
            template: {
              spec: {
                volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'data', hostPath: { path: '/y' } }],
              },
            },
          },
        }),
      ],
    },
    {
      name: 'strategic-replace-directive',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch(
          'strategic',
          `${DEPLOYMENTS}/d`,
          containers(
            { $patch: 'replace' },
            {
              name: 'single',
              image: 'example.com/single:1',
              volumeMounts: [{ name: 'data', mountPath: '/d' }],
            },
          ),
        ),
        patch('strategic', `${DEPLOYMENTS}/d`, { metadata: { labels: { $patch: 'replace', only: 'this' } } }),
      ],
    },
    {
      name: 'strategic-order-directive',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('strategic', `${DEPLOYMENTS}/d`, {
          spec: {
            template: {
              spec: {
                '$setElementOrder/containers': [{ name: 'side' }, { name: 'new' }, { name: 'web' }],
                containers: [{ name: 'new', image: 'example.com/new:1' }],
              },
            },
          },
        }),
      ],
    },
    {
      name: 'strategic-finalizers',
      steps: [
        setup(post(CM, configMap('a', { metadata: { finalizers: ['example.com/one', 'example.com/two'] } }))),
        patch('strategic', `${CM}/a`, { metadata: { finalizers: ['example.com/three'] } }),
        patch('strategic', `${CM}/a`, {
          metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/one'] },
        }),
        patch('merge', `${CM}/a`, { metadata: { finalizers: ['example.com/last'] } }),
        patch('merge', `${CM}/a`, { metadata: { finalizers: null } }),
      ],
    },
    {
      name: 'strategic-owner-references',
      steps: [
        post(CM, configMap('owner'), { capture: { uid: '/metadata/uid' } }),
        setup(post(CM, configMap('a'))),
        patch('strategic', `${CM}/a`, {
          metadata: {
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}' }],
          },
        }),
        patch('strategic', `${CM}/a`, {
          metadata: { ownerReferences: [{ uid: '{uid}', controller: true }] },
        }),
        patch('strategic', `${CM}/a`, {
          metadata: { ownerReferences: [{ $patch: 'delete', uid: '{uid}' }] },
        }),
      ],
    },
    {
      name: 'strategic-without-merge-key',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('strategic', `${DEPLOYMENTS}/d`, containers({ image: 'example.com/nameless:1' }), {
          // The message holds a dump of the element in Go's own format.
          ignore: ['/body/message'],
        }),
      ],
    },
    {
      name: 'strategic-of-conditions',
      steps: [
        setup(post(core('pods'), pod('p'))),
        patch('strategic', core('pods', 'p/status'), {
          status: {
            conditions: [
              { type: 'Ready', status: 'False' },
              { type: 'example.com/gate', status: 'True' },
            ],
          },
        }),
        patch('strategic', core('pods', 'p/status'), {
          status: { conditions: [{ type: 'Ready', status: 'True' }] },
        }),
      ],
    },
    {
      name: 'pod-updates-that-are-allowed',
      steps: [
        setup(post(core('pods'), pod('p'))),
        patch('strategic', core('pods', 'p'), {
          spec: { containers: [{ name: 'main', image: 'example.com/app:2' }] },
        }),
        patch('merge', core('pods', 'p'), { spec: { activeDeadlineSeconds: 100 } }),
        patch('merge', core('pods', 'p'), { spec: { activeDeadlineSeconds: 200 } }),
        patch('json', core('pods', 'p'), [
          { op: 'add', path: '/spec/tolerations/-', value: { key: 'x', operator: 'Exists' } },
        ]),
      ],
    },
    {
      name: 'pod-updates-that-are-not-allowed',
      // The message ends in a dump of the difference, and lists more fields in later versions.
      steps: [
        setup(post(core('pods'), pod('p'))),
        patch(
          'merge',
          core('pods', 'p'),
          { spec: { nodeName: 'n' } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        patch(
          'merge',
          core('pods', 'p'),
          { spec: { restartPolicy: 'Never' } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        patch(
          'strategic',
          core('pods', 'p'),
          { spec: { containers: [{ name: 'two', image: 'x' }] } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
      ],
    },
  ],
};
