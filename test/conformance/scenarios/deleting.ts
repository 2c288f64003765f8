/** Deletion: finalizers, grace, preconditions, collections. */
import type { Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

const CM = core('configmaps');
const PODS = core('pods');

function options(rest: object): object {
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...rest };
}

/** A pod that has a node gets its grace period; one that has none is gone at once. */
const RUNNING = pod('p', { spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] } });

export const DELETING: Theme = {
  theme: 'deleting',
  scenarios: [
    {
      name: 'delete-missing',
      steps: [
        remove(`${CM}/none`),
        remove(`${PODS}/none`),
        remove(apis('apps/v1', 'deployments', 'none')),
        remove('/api/v1/namespaces/c-none'),
      ],
    },
    {
      name: 'delete-with-finalizer',
      steps: [
        setup(post(CM, configMap('a', { metadata: { finalizers: ['example.com/one', 'example.com/two'] } }))),
        remove(`${CM}/a`),
        get(`${CM}/a`),
        remove(`${CM}/a`),
        patch('json', `${CM}/a`, [{ op: 'remove', path: '/metadata/finalizers/0' }]),
        patch('merge', `${CM}/a`, { metadata: { finalizers: ['example.com/two', 'example.com/late'] } }),
        patch('merge', `${CM}/a`, { data: { still: 'writable' } }),
        patch('merge', `${CM}/a`, { metadata: { finalizers: [] } }),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'delete-with-finalizer-and-recreate',
      steps: [
        setup(post(CM, configMap('a', { metadata: { finalizers: ['example.com/one'] } }))),
        setup(remove(`${CM}/a`)),
        post(CM, configMap('a')),
        put(`${CM}/a`, configMap('a')),
        post(CM, configMap('a')),
      ],
    },
    {
      name: 'finalizer-names',
      steps: [
        post(CM, configMap('a', { metadata: { finalizers: ['no-slash'] } })),
        post(CM, configMap('b', { metadata: { finalizers: ['bad name/x'] } })),
        post(CM, configMap('c', { metadata: { finalizers: ['orphan', 'foregroundDeletion'] } })),
      ],
    },
    {
      name: 'delete-pod-without-node',
      steps: [setup(post(PODS, pod('p'))), remove(`${PODS}/p`), get(`${PODS}/p`)],
    },
    {
      name: 'delete-pod-gracefully',
      steps: [
        setup(post(PODS, RUNNING)),
        remove(`${PODS}/p`),
        get(`${PODS}/p`),
        remove(`${PODS}/p`),
        remove(`${PODS}/p?gracePeriodSeconds=5`),
        remove(`${PODS}/p?gracePeriodSeconds=60`),
        remove(`${PODS}/p?gracePeriodSeconds=0`),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'delete-pod-with-own-grace',
      steps: [
        setup(
          post(
            PODS,
            pod('p', {
              spec: {
                nodeName: 'c-no-such-node',
                terminationGracePeriodSeconds: 7,
                containers: [{ name: 'c', image: 'i' }],
              },
            }),
          ),
        ),
        remove(`${PODS}/p`, options({ gracePeriodSeconds: 3 })),
        remove(`${PODS}/p`, options({ gracePeriodSeconds: 0 })),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'delete-pod-without-grace',
      steps: [
        setup(
          post(
            PODS,
            pod('p', {
              spec: {
                nodeName: 'c-no-such-node',
                terminationGracePeriodSeconds: 0,
                containers: [{ name: 'c', image: 'i' }],
              },
            }),
          ),
        ),
        remove(`${PODS}/p`),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'delete-finished-pod',
      steps: [
        setup(post(PODS, RUNNING)),
        setup(patch('merge', `${PODS}/p/status`, { status: { phase: 'Succeeded' } })),
        remove(`${PODS}/p`),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'delete-pod-with-finalizer',
      steps: [
        setup(
          post(
            PODS,
            pod('p', {
              metadata: { finalizers: ['example.com/hold'] },
              spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] },
            }),
          ),
        ),
        remove(`${PODS}/p?gracePeriodSeconds=0`),
        get(`${PODS}/p`),
        patch('merge', `${PODS}/p`, { metadata: { finalizers: null } }),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'delete-pod-with-negative-grace',
      steps: [
        setup(post(PODS, RUNNING)),
        // Later versions take it for one second.
        remove(`${PODS}/p?gracePeriodSeconds=x`, undefined, { ignore: ['/body/message'] }),
      ],
    },
    {
      name: 'delete-preconditions',
      steps: [
        post(CM, configMap('a'), { capture: { uid: '/metadata/uid', version: '/metadata/resourceVersion' } }),
        remove(`${CM}/a`, options({ preconditions: { uid: '00000000-0000-0000-0000-000000000000' } })),
        remove(`${CM}/a`, options({ preconditions: { resourceVersion: '1' } })),
        setup(patch('merge', `${CM}/a`, { data: { a: 'b' } })),
        remove(`${CM}/a`, options({ preconditions: { uid: '{uid}', resourceVersion: '{version}' } })),
        remove(`${CM}/a`, options({ preconditions: { uid: '{uid}' } })),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'delete-pod-preconditions',
      steps: [
        post(PODS, RUNNING, { capture: { uid: '/metadata/uid' } }),
        remove(`${PODS}/p`, options({ preconditions: { uid: '00000000-0000-0000-0000-000000000000' } })),
        remove(`${PODS}/p`, options({ preconditions: { uid: '{uid}' }, gracePeriodSeconds: 10 })),
      ],
    },
    {
      name: 'delete-options-malformed',
      steps: [
        setup(post(CM, configMap('a'))),
        remove(`${CM}/a?propagationPolicy=Sideways`),
        remove(`${CM}/a`, options({ propagationPolicy: 'Sideways' })),
        remove(`${CM}/a`, options({ propagationPolicy: 'Orphan', orphanDependents: true })),
        remove(`${CM}/a`, options({ dryRun: ['Some'] })),
        remove(`${CM}/a`, { apiVersion: 'v1', kind: 'ConfigMap' }, { ignore: ['/body/message'] }),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'delete-options-in-body-of-meta-group',
      steps: [
        setup(post(CM, configMap('a'))),
        remove(`${CM}/a`, {
          apiVersion: 'meta.k8s.io/v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
        }),
        setup(post(CM, configMap('b'))),
        remove(`${CM}/b`, { propagationPolicy: 'Background' }),
        setup(post(CM, configMap('c'))),
        remove(`${CM}/c`, {}),
      ],
    },
    {
      name: 'delete-collection',
      steps: [
        ...['a', 'b'].map((name) =>
          setup(post(CM, configMap(name, { metadata: { labels: { app: 'web' } } }))),
        ),
        setup(post(CM, configMap('c'))),
        setup(
          post(
            CM,
            configMap('held', { metadata: { labels: { app: 'web' }, finalizers: ['example.com/hold'] } }),
          ),
        ),
        remove(`${CM}?labelSelector=app%3Dweb`, undefined, {
          // Answers with the list; the versions of what is gone are those of the deletions in later servers.
          ignore: ['/body/items/*/metadata/resourceVersion'],
        }),
        get(`${CM}?labelSelector=app%3Dweb`),
        get(`${CM}/c`),
        remove(`${CM}?fieldSelector=metadata.name%3Dc`, undefined, {
          ignore: ['/body/items/*/metadata/resourceVersion'],
        }),
        get(`${CM}/c`),
      ],
    },
    {
      name: 'delete-collection-of-pods',
      steps: [
        setup(post(PODS, RUNNING)),
        setup(post(PODS, pod('q'))),
        remove(PODS, options({ gracePeriodSeconds: 9 }), {
          ignore: ['/body/items/*/metadata/resourceVersion'],
        }),
        get(PODS, { ignore: ['/body/items/*/metadata/resourceVersion'] }),
        remove(`${PODS}?gracePeriodSeconds=0`, undefined, {
          ignore: ['/body/items/*/metadata/resourceVersion'],
        }),
        get(PODS),
      ],
    },
    {
      name: 'delete-collection-of-nothing',
      steps: [
        remove(apis('apps/v1', 'deployments')),
        remove(`${CM}?labelSelector=app%3Dnone`),
        remove(`${CM}?labelSelector=app%3Da%3Db`),
      ],
    },
    {
      name: 'delete-collection-that-may-not-be',
      steps: [
        remove('/api/v1/namespaces'),
        remove(core('services'), undefined, { ignore: ['/status', '/body', '/headers'] }),
      ],
    },
  ],
};
