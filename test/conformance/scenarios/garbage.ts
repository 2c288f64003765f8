/** Owners and dependents: foreground, background, orphans. */
import type { Theme } from '../harness/scenario.ts';
import { apis, awaiting, configMap, core, get, patch, pod, post, remove, setup } from '../harness/steps.ts';

const CM = core('configmaps');
const PODS = core('pods');
const RS = apis('apps/v1', 'replicasets');

function options(rest: object): object {
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...rest };
}

function owned(name: string, extra: object = {}): object {
  return configMap(name, {
    metadata: {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}', ...extra }],
    },
  });
}

const owner = setup(post(CM, configMap('owner'), { capture: { uid: '/metadata/uid' } }));

export const GARBAGE: Theme = {
  theme: 'garbage',
  scenarios: [
    {
      name: 'delete-foreground-without-dependents',
      steps: [
        setup(post(CM, configMap('a'))),
        remove(`${CM}/a?propagationPolicy=Foreground`),
        awaiting(`${CM}/a`, { status: 404 }),
      ],
    },
    {
      name: 'delete-foreground-waits-for-blockers',
      steps: [
        owner,
        setup(post(CM, owned('kept', { blockOwnerDeletion: true }))),
        setup(patch('merge', `${CM}/kept`, { metadata: { finalizers: ['example.com/hold'] } })),
        remove(`${CM}/owner`, options({ propagationPolicy: 'Foreground' })),
        awaiting(`${CM}/kept`, { absent: [], equals: { '/metadata/deletionGracePeriodSeconds': 0 } }),
        get(`${CM}/owner`),
        setup(patch('merge', `${CM}/kept`, { metadata: { finalizers: null } })),
        awaiting(`${CM}/owner`, { status: 404 }),
        get(`${CM}/kept`),
      ],
    },
    {
      name: 'delete-background-collects-dependents',
      steps: [
        owner,
        setup(post(CM, owned('dependent'))),
        remove(`${CM}/owner`, options({ propagationPolicy: 'Background' })),
        awaiting(`${CM}/dependent`, { status: 404 }),
      ],
    },
    {
      name: 'delete-collects-by-default',
      steps: [
        setup(
          post(
            RS,
            {
              apiVersion: 'apps/v1',
              kind: 'ReplicaSet',
              metadata: { name: 'owner' },
              spec: {
                replicas: 0,
                selector: { matchLabels: { a: 'b' } },
                template: {
                  metadata: { labels: { a: 'b' } },
                  spec: { containers: [{ name: 'c', image: 'i' }] },
                },
              },
            },
            { capture: { uid: '/metadata/uid' } },
          ),
        ),
        setup(
          post(
            PODS,
            pod('p', {
              metadata: {
                ownerReferences: [
                  {
                    apiVersion: 'apps/v1',
                    kind: 'ReplicaSet',
                    name: 'owner',
                    uid: '{uid}',
                    controller: true,
                    blockOwnerDeletion: true,
                  },
                ],
              },
            }),
          ),
        ),
        remove(`${RS}/owner`),
        awaiting(`${PODS}/p`, { status: 404 }),
      ],
    },
    {
      name: 'delete-orphan-keeps-dependents',
      steps: [
        owner,
        setup(post(CM, owned('dependent'))),
        remove(`${CM}/owner?propagationPolicy=Orphan`),
        awaiting(`${CM}/owner`, { status: 404 }),
        awaiting(`${CM}/dependent`, { absent: ['/metadata/ownerReferences'] }),
      ],
    },
    {
      name: 'delete-orphan-by-the-old-option',
      steps: [
        owner,
        setup(post(CM, owned('dependent'))),
        remove(`${CM}/owner`, options({ orphanDependents: true })),
        awaiting(`${CM}/dependent`, { absent: ['/metadata/ownerReferences'] }),
      ],
    },
    {
      name: 'owner-that-never-was',
      steps: [
        setup(
          post(
            CM,
            configMap('a', {
              metadata: {
                ownerReferences: [
                  {
                    apiVersion: 'v1',
                    kind: 'ConfigMap',
                    name: 'nobody',
                    uid: '00000000-0000-0000-0000-000000000000',
                  },
                ],
              },
            }),
          ),
        ),
        awaiting(`${CM}/a`, { status: 404 }),
      ],
    },
    {
      name: 'two-owners',
      steps: [
        owner,
        setup(post(CM, configMap('second'), { capture: { uid2: '/metadata/uid' } })),
        setup(
          post(
            CM,
            configMap('dependent', {
              metadata: {
                ownerReferences: [
                  { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}' },
                  { apiVersion: 'v1', kind: 'ConfigMap', name: 'second', uid: '{uid2}' },
                ],
              },
            }),
          ),
        ),
        setup(remove(`${CM}/owner`)),
        awaiting(`${CM}/dependent`, { absent: ['/metadata/ownerReferences/1'] }),
        setup(remove(`${CM}/second`)),
        awaiting(`${CM}/dependent`, { status: 404 }),
      ],
    },
    {
      name: 'owner-references-invalid',
      steps: [
        post(
          CM,
          configMap('a', {
            metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] },
          }),
        ),
        post(
          CM,
          configMap('a', {
            metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '' }] },
          }),
        ),
        post(
          CM,
          configMap('a', { metadata: { ownerReferences: [{ kind: 'ConfigMap', name: 'x', uid: 'u' }] } }),
        ),
        post(
          CM,
          configMap('a', {
            metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }] },
          }),
        ),
        post(
          CM,
          configMap('a', {
            metadata: {
              ownerReferences: [
                { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u', controller: true },
                { apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: 'v', controller: true },
              ],
            },
          }),
          // The message holds addresses of the server's memory.
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
      ],
    },
  ],
};
