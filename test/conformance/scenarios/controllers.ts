/** What controllers send: elections, informers, Events, adoption, finalizers. */
import { served } from '../harness/chart-definitions.ts';
import type { Theme } from '../harness/scenario.ts';
import {
  apis,
  collect,
  configMap,
  core,
  get,
  patch,
  pod,
  post,
  put,
  remove,
  setup,
  watch,
} from '../harness/steps.ts';

const DEPLOYMENTS = apis('apps/v1', 'deployments');
const PODS = core('pods');
const CM = core('configmaps');
const EVENTS = core('events');
const LEASES = apis('coordination.k8s.io/v1', 'leases');

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.com/web:1', ports: [{ containerPort: 80 }] }] },
    },
  },
};

export const CONTROLLERS: Theme = {
  theme: 'controllers',
  scenarios: [
    {
      name: 'leader-election',
      steps: [
        get(`${LEASES}/leader`),
        post(
          LEASES,
          {
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { name: 'leader' },
            spec: {
              holderIdentity: 'one',
              leaseDurationSeconds: 15,
              acquireTime: '2020-01-02T03:04:05.000000Z',
              renewTime: '2020-01-02T03:04:05.000000Z',
              leaseTransitions: 0,
            },
          },
          { capture: { at: '/metadata/resourceVersion' } },
        ),
        put(`${LEASES}/leader`, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'leader', resourceVersion: '{at}' },
          spec: {
            holderIdentity: 'one',
            leaseDurationSeconds: 15,
            renewTime: '2020-01-02T03:04:15.000000Z',
            leaseTransitions: 0,
          },
        }),
        put(`${LEASES}/leader`, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'leader', resourceVersion: '{at}' },
          spec: { holderIdentity: 'two', leaseDurationSeconds: 15, leaseTransitions: 1 },
        }),
      ],
    },
    {
      name: 'informer-list-then-watch',
      steps: [
        setup(
          post(CM, configMap('a', { metadata: { labels: { i: 'n' } } }), {
            capture: { at: '/metadata/resourceVersion' },
          }),
        ),
        get(`${CM}?labelSelector=i&limit=500&resourceVersion=0`, { ignore: ['/body/items'] }),
        watch('w', `${CM}?labelSelector=i&allowWatchBookmarks=true&resourceVersion={at}&timeoutSeconds=300`),
        setup(patch('merge', `${CM}/a`, { data: { x: '1' } })),
        setup(remove(`${CM}/a`)),
        collect('w', { type: 'DELETED' }),
      ],
    },
    {
      name: 'events-are-counted',
      steps: [
        post(EVENTS, {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'p.15', namespace: '{ns}' },
          involvedObject: {
            kind: 'Pod',
            namespace: '{ns}',
            name: 'p',
            uid: 'u',
            apiVersion: 'v1',
            resourceVersion: '12',
          },
          reason: 'BackOff',
          message: 'm',
          source: { component: 'c', host: 'h' },
          firstTimestamp: '2020-01-02T03:04:05Z',
          lastTimestamp: '2020-01-02T03:04:05Z',
          count: 1,
          type: 'Warning',
          eventTime: null,
          reportingComponent: '',
          reportingInstance: '',
        }),
        patch('strategic', `${EVENTS}/p.15`, { count: 2, lastTimestamp: '2020-01-02T03:04:06Z' }),
        patch('strategic', `${EVENTS}/p.none`, { count: 2 }),
      ],
    },
    {
      name: 'adoption-and-release',
      steps: [
        setup(post(DEPLOYMENTS, WEB, { capture: { uid: '/metadata/uid' } })),
        setup(post(PODS, pod('p'), { capture: { pod: '/metadata/uid' } })),
        patch('strategic', `${PODS}/p`, {
          metadata: {
            ownerReferences: [
              {
                apiVersion: 'apps/v1',
                kind: 'Deployment',
                name: 'web',
                uid: '{uid}',
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
            uid: '{pod}',
          },
        }),
        patch('strategic', `${PODS}/p`, {
          metadata: { ownerReferences: [{ $patch: 'delete', uid: '{uid}' }], uid: '{pod}' },
        }),
        patch('strategic', `${PODS}/p`, {
          metadata: {
            labels: { a: 'b' },
            uid: '00000000-0000-0000-0000-000000000000',
          },
        }),
      ],
    },
    {
      name: 'finalizer-first-then-cleanup',
      steps: [
        ...served('finalizer.conformance.example.com', 'things', 'Thing'),
        post('/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things', {
          apiVersion: 'finalizer.conformance.example.com/v1alpha1',
          kind: 'Thing',
          metadata: { name: 't' },
          spec: { a: 1 },
        }),
        patch(
          'merge',
          '/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t',
          { metadata: { finalizers: ['things.example.com/cleanup'] } },
          { capture: { at: '/metadata/resourceVersion' } },
        ),
        remove('/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t'),
        patch('json', '/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t', [
          { op: 'test', path: '/metadata/resourceVersion', value: '{at}' },
          { op: 'remove', path: '/metadata/finalizers' },
        ]),
        patch('json', '/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t', [
          { op: 'test', path: '/metadata/finalizers/0', value: 'things.example.com/cleanup' },
          { op: 'remove', path: '/metadata/finalizers/0' },
        ]),
        get('/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t'),
      ],
    },
  ],
};
