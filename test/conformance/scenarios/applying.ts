/** Server-side apply: who owns which field, conflicts, and what becomes of fields that are not applied any more. */
import type { RequestDetails, Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, post, put, setup } from '../harness/steps.ts';

const CM = core('configmaps');
const DEPLOYMENTS = apis('apps/v1', 'deployments');
const SEEN: RequestDetails = { managedFields: true };

function apply(path: string, manager: string, body: object, query = '', ignore: readonly string[] = []) {
  return patch('apply', `${path}?fieldManager=${manager}${query}`, body, { ...SEEN, ignore });
}

function deployment(spec: object, container: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', labels: { app: 'web' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'example.com/web:1', ...container }] },
      },
      ...spec,
    },
  };
}

export const APPLYING: Theme = {
  theme: 'applying',
  scenarios: [
    {
      name: 'apply-creates-and-updates',
      steps: [
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1', y: '2' } })),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1', y: '3' } })),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1', y: '3' } })),
        get(`${CM}/a`, SEEN),
      ],
    },
    {
      name: 'apply-removes-what-is-left-out',
      steps: [
        apply(
          `${CM}/a`,
          'one',
          configMap('a', { data: { x: '1', y: '2' }, metadata: { labels: { l: 'm' } } }),
        ),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1' } })),
        apply(`${CM}/a`, 'one', configMap('a')),
      ],
    },
    {
      name: 'apply-conflicts',
      steps: [
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1', y: '2' } })),
        apply(`${CM}/a`, 'two', configMap('a', { data: { x: '9' } })),
        apply(`${CM}/a`, 'two', configMap('a', { data: { x: '9', y: '8' } })),
        apply(`${CM}/a`, 'two', configMap('a', { data: { x: '9' } }), '&force=true'),
        apply(`${CM}/a`, 'one', configMap('a', { data: { y: '2' } })),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1', y: '2' } })),
      ],
    },
    {
      name: 'apply-shares-equal-values',
      steps: [
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1' } })),
        apply(`${CM}/a`, 'two', configMap('a', { data: { x: '1', z: '3' } })),
        apply(`${CM}/a`, 'one', configMap('a')),
        apply(`${CM}/a`, 'two', configMap('a')),
      ],
    },
    {
      name: 'apply-meets-updates',
      steps: [
        post(`${CM}?fieldManager=creator`, configMap('a', { data: { x: '1', y: '2' } }), SEEN),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '9' } })),
        patch('merge', `${CM}/a?fieldManager=patcher`, { data: { z: '3' } }, SEEN),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '9', z: '4' } }), '&force=true'),
        put(`${CM}/a?fieldManager=putter`, configMap('a', { data: { x: '0' } }), SEEN),
        patch('apply', `${CM}/a?fieldManager=one`, configMap('a', { data: { x: '9' } }), {
          ...SEEN,
          // The recorded version also blames a manager that owns nothing any more.
          ignore: ['/body/message', '/body/details'],
        }),
      ],
    },
    {
      name: 'apply-after-creation-by-others',
      steps: [
        setup(post(CM, configMap('a', { data: { x: '1' } }))),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1' } })),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '2' } })),
        patch('merge', `${CM}/a`, { data: { x: '1' } }, SEEN),
      ],
    },
    {
      name: 'apply-deployment',
      steps: [
        apply(`${DEPLOYMENTS}/d`, 'one', deployment({ replicas: 2 })),
        apply(
          `${DEPLOYMENTS}/d`,
          'one',
          deployment(
            { replicas: 3 },
            {
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
            },
          ),
        ),
        apply(`${DEPLOYMENTS}/d`, 'one', deployment({}, { env: [{ name: 'B', value: '3' }] })),
        apply(`${DEPLOYMENTS}/d`, 'two', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: { replicas: 7 },
        }),
        apply(`${DEPLOYMENTS}/d`, 'one', deployment({ replicas: 3 })),
      ],
    },
    {
      name: 'apply-containers-of-two-managers',
      steps: [
        apply(`${DEPLOYMENTS}/d`, 'one', deployment({})),
        apply(`${DEPLOYMENTS}/d`, 'two', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: { template: { spec: { containers: [{ name: 'side', image: 'example.com/side:1' }] } } },
        }),
        apply(`${DEPLOYMENTS}/d`, 'two', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: { template: { spec: { containers: [{ name: 'web', image: 'example.com/web:2' }] } } },
        }),
        apply(`${DEPLOYMENTS}/d`, 'two', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
        }),
      ],
    },
    {
      name: 'apply-ports',
      steps: [
        apply(core('services', 's'), 'one', {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: {
            clusterIP: 'None',
            ports: [{ port: 80, protocol: 'TCP', name: 'http' }],
          },
        }),
        apply(core('services', 's'), 'two', {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: { ports: [{ port: 443, protocol: 'TCP', name: 'https' }] },
        }),
        apply(core('services', 's'), 'one', {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: { clusterIP: 'None', ports: [{ port: 81, protocol: 'TCP', name: 'http' }] },
        }),
      ],
    },
    {
      name: 'apply-finalizers-and-owners',
      steps: [
        setup(post(CM, configMap('owner'), { capture: { uid: '/metadata/uid' } })),
        apply(
          `${CM}/a`,
          'one',
          configMap('a', {
            metadata: {
              finalizers: ['example.com/one'],
              ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}' }],
            },
          }),
          // An owner reference is owned as a whole since 1.21.
          '',
          ['/body/metadata/managedFields'],
        ),
        apply(`${CM}/a`, 'two', configMap('a', { metadata: { finalizers: ['example.com/two'] } }), '', [
          '/body/metadata/managedFields',
        ]),
        apply(`${CM}/a`, 'one', configMap('a')),
        apply(`${CM}/a`, 'two', configMap('a')),
      ],
    },
    {
      name: 'apply-atomic-parts',
      steps: [
        apply(`${DEPLOYMENTS}/d`, 'one', deployment({}, { args: ['one', 'two'] })),
        apply(`${DEPLOYMENTS}/d`, 'two', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: { template: { spec: { containers: [{ name: 'web', args: ['three'] }] } } },
        }),
        apply(
          `${DEPLOYMENTS}/d`,
          'two',
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'd' },
            spec: { template: { spec: { containers: [{ name: 'web', args: ['three'] }] } } },
          },
          '&force=true',
        ),
        apply(
          `${DEPLOYMENTS}/d`,
          'two',
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'd' },
            spec: { selector: { matchLabels: { other: 'x' } } },
          },
          '&force=true',
        ),
      ],
    },
    {
      name: 'apply-null-and-empty',
      steps: [
        apply(`${CM}/a`, 'one', configMap('a', { data: {} })),
        apply(`${CM}/a`, 'one', configMap('a', { data: null })),
        apply(`${CM}/a`, 'one', configMap('a', { metadata: { labels: {} }, data: { x: '' } })),
      ],
    },
    {
      name: 'apply-dry-run',
      steps: [
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1' } }), '&dryRun=All'),
        get(`${CM}/a`),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '1' } })),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '2' } }), '&dryRun=All'),
        get(`${CM}/a`, SEEN),
      ],
    },
    {
      name: 'apply-options',
      steps: [
        patch('apply', `${CM}/a`, configMap('a')),
        patch('apply', `${CM}/a?fieldManager=`, configMap('a')),
        // Later versions say it in other words.
        patch('apply', `${CM}/a?fieldManager=${'m'.repeat(129)}`, configMap('a'), {
          ignore: ['/body/message', '/body/details/causes/*/message'],
        }),
        patch('merge', `${CM}/a?fieldManager=m&force=true`, {}),
        patch('apply', `${CM}/a?fieldManager=m&force=maybe`, configMap('a'), {
          ignore: ['/status', '/body'],
        }),
      ],
    },
    {
      name: 'apply-refused-bodies',
      steps: [
        apply(`${CM}/a`, 'one', configMap('b')),
        apply(
          `${CM}/a`,
          'one',
          configMap('a', {
            metadata: { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1' }] },
          }),
        ),
        apply(`${CM}/a`, 'one', { apiVersion: 'v1', metadata: { name: 'a' } }),
        apply(`${CM}/a`, 'one', { kind: 'ConfigMap', metadata: { name: 'a' } }),
        apply(`${CM}/a`, 'one', configMap('a', { metadata: { resourceVersion: '1' } })),
        apply(
          `${CM}/a`,
          'one',
          configMap('a', { metadata: { uid: '00000000-0000-0000-0000-000000000000' } }),
        ),
        apply(`${DEPLOYMENTS}/d`, 'one', { ...deployment({}), spec: { replicas: 1 } }),
        // What the decoder says is its own.
        patch('apply', `${CM}/a?fieldManager=one`, 'a: b: c', { ignore: ['/body/message'] }),
        patch('apply', `${CM}/a?fieldManager=one`, configMap('a', { data: ['x'] }), {
          ignore: ['/body/message'],
        }),
      ],
    },
    {
      name: 'apply-unknown-fields',
      steps: [
        apply(`${CM}/a`, 'one', configMap('a', { nonsense: 1 })),
        apply(`${DEPLOYMENTS}/d`, 'one', deployment({ replicsa: 3 })),
        get(`${DEPLOYMENTS}/d`),
      ],
    },
    {
      name: 'apply-duplicate-keys-of-lists',
      steps: [
        patch(
          'apply',
          `${DEPLOYMENTS}/d?fieldManager=one`,
          deployment(
            {},
            {
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '2' },
              ],
            },
          ),
          {
            ...SEEN,
            // The message names the server's own types.
            ignore: ['/body/message'],
          },
        ),
      ],
    },
    {
      name: 'managed-fields-of-updates',
      steps: [
        post(
          `${CM}?fieldManager=one`,
          configMap('a', { data: { x: '1' }, metadata: { labels: { l: 'm' }, annotations: { n: 'o' } } }),
          SEEN,
        ),
        patch('merge', `${CM}/a?fieldManager=two`, { data: { y: '2' } }, SEEN),
        patch('json', `${CM}/a?fieldManager=two`, [{ op: 'remove', path: '/data/x' }], SEEN),
      ],
    },
    {
      name: 'managed-fields-of-the-user-agent',
      steps: [
        post(CM, configMap('a', { data: { x: '1' } }), {
          ...SEEN,
          headers: { 'user-agent': 'kubectl/v1.30.0 (linux/amd64) kubernetes/abc' },
        }),
        patch('merge', `${CM}/a`, { data: { y: '2' } }, { ...SEEN, headers: { 'user-agent': 'no-slash' } }),
      ],
    },
    {
      name: 'managed-fields-may-be-cleared',
      steps: [
        setup(post(CM, configMap('a', { data: { x: '1' } }))),
        patch('merge', `${CM}/a`, { metadata: { managedFields: [{}] } }, SEEN),
        patch('json', `${CM}/a`, [{ op: 'replace', path: '/metadata/managedFields', value: [] }], SEEN),
        apply(`${CM}/a`, 'one', configMap('a', { data: { x: '2' } })),
      ],
    },
    {
      name: 'managed-fields-of-status',
      steps: [
        setup(
          post(`${core('pods')}?fieldManager=creator`, {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'p' },
            spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
          }),
        ),
        patch(
          'strategic',
          `${core('pods')}/p/status?fieldManager=node`,
          { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
          SEEN,
        ),
      ],
    },
  ],
};
