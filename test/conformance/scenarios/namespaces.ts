/** Namespaces and their life. */
import type { Theme } from '../harness/scenario.ts';
import { awaiting, configMap, get, patch, post, put, remove, setup } from '../harness/steps.ts';

const TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'example.com/app:1' }] },
};
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
};

const NS = '/api/v1/namespaces';
const SECOND = '{ns}-2';
function namespace(name: string, extra: object = {}): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, ...extra };
}

export const NAMESPACES: Theme = {
  theme: 'namespaces',
  scenarios: [
    {
      name: 'namespace-create-and-read',
      steps: [
        post(NS, namespace(SECOND)),
        get(`${NS}/${SECOND}`),
        patch('merge', `${NS}/${SECOND}`, { metadata: { labels: { team: 'a' } } }),
        post(NS, namespace(SECOND)),
        get(`${NS}?fieldSelector=metadata.name%3D${SECOND}`),
      ],
    },
    {
      name: 'namespace-goes-when-empty',
      steps: [
        setup(post(NS, namespace(SECOND))),
        remove(`${NS}/${SECOND}`),
        awaiting(`${NS}/${SECOND}`, { status: 404 }),
      ],
    },
    {
      name: 'namespace-takes-its-content',
      steps: [
        setup(post(NS, namespace(SECOND))),
        setup(post(`${NS}/${SECOND}/configmaps`, configMap('a'))),
        setup(post('/apis/apps/v1/namespaces/{ns}-2/deployments', DEPLOYMENT)),
        setup(remove(`${NS}/${SECOND}`)),
        awaiting(`${NS}/${SECOND}`, { status: 404 }),
        get(`${NS}/${SECOND}/configmaps/a`),
        get('/apis/apps/v1/namespaces/{ns}-2/deployments/d'),
      ],
    },
    {
      name: 'namespace-that-terminates-refuses-new-objects',
      steps: [
        setup(post(NS, namespace(SECOND))),
        setup(
          post(
            `${NS}/${SECOND}/configmaps`,
            configMap('held', { metadata: { finalizers: ['example.com/hold'] } }),
          ),
        ),
        setup(remove(`${NS}/${SECOND}`)),
        awaiting(`${NS}/${SECOND}`, {
          equals: {
            '/status/phase': 'Terminating',
            '/status/conditions/4/type': 'NamespaceFinalizersRemaining',
          },
          setup: true,
        }),
        post(`${NS}/${SECOND}/configmaps`, configMap('late')),
        patch('merge', `${NS}/${SECOND}/configmaps/held`, { data: { still: 'writable' } }),
        remove(`${NS}/${SECOND}`),
        setup(patch('merge', `${NS}/${SECOND}/configmaps/held`, { metadata: { finalizers: null } })),
        awaiting(`${NS}/${SECOND}`, { status: 404 }),
      ],
    },
    {
      name: 'namespace-tells-what-holds-it',
      steps: [
        setup(post(NS, namespace(SECOND))),
        setup(
          post(
            `${NS}/${SECOND}/configmaps`,
            configMap('held', { metadata: { finalizers: ['example.com/hold'] } }),
          ),
        ),
        setup(remove(`${NS}/${SECOND}`)),
        awaiting(`${NS}/${SECOND}`, {
          equals: {
            '/status/conditions/3/message':
              'Some resources are remaining: configmaps. has 1 resource instances',
            '/status/conditions/4/status': 'True',
          },
        }),
        setup(patch('merge', `${NS}/${SECOND}/configmaps/held`, { metadata: { finalizers: null } })),
      ],
    },
    {
      name: 'namespace-finalize',
      steps: [
        setup(post(NS, namespace(SECOND, { spec: { finalizers: ['kubernetes', 'example.com/mine'] } }))),
        get(`${NS}/${SECOND}`),
        setup(remove(`${NS}/${SECOND}`)),
        awaiting(`${NS}/${SECOND}`, { equals: { '/spec/finalizers': ['example.com/mine'] }, setup: true }),
        put(`${NS}/${SECOND}/finalize`, namespace(SECOND, { spec: { finalizers: [] } }), {
          // Its conditions are written by the controller at any time.
          ignore: ['/body'],
        }),
        awaiting(`${NS}/${SECOND}`, { status: 404 }),
      ],
    },
    {
      name: 'namespace-spec-finalizers-are-not-updated',
      steps: [
        setup(post(NS, namespace(SECOND))),
        put(`${NS}/${SECOND}`, namespace(SECOND, { spec: { finalizers: [] } })),
        // The recorded server notes who wrote the field, though it keeps its value.
        patch(
          'merge',
          `${NS}/${SECOND}`,
          { spec: { finalizers: ['example.com/x'] } },
          { ignore: ['/body/metadata/resourceVersion'] },
        ),
        patch('merge', `${NS}/${SECOND}`, { status: { phase: 'Terminating' } }),
      ],
    },
    {
      name: 'namespaces-that-stay',
      steps: [remove(`${NS}/default`), remove(`${NS}/kube-system`), remove(`${NS}/kube-public`)],
    },
  ],
};
