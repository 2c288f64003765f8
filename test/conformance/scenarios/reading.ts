/** Lists: paging, selectors, resource versions. */
import type { Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, pod, post, remove, setup } from '../harness/steps.ts';

const CM = core('configmaps');
const PODS = core('pods');

function several(names: readonly string[], labels: Readonly<Record<string, string>> = { set: 'one' }) {
  return names.map((name) => setup(post(CM, configMap(name, { metadata: { labels } }))));
}

/** What the cluster itself puts into a namespace is left out of lists by this. */
const MINE = 'labelSelector=set';

const LABELLED = [
  setup(post(CM, configMap('a', { metadata: { labels: { app: 'web', tier: 'front' } } }))),
  setup(post(CM, configMap('b', { metadata: { labels: { app: 'web', tier: 'back' } } }))),
  setup(post(CM, configMap('c', { metadata: { labels: { app: 'db' } } }))),
  setup(post(CM, configMap('d', { metadata: { labels: { app: '' } } }))),
];

function selected(selector: string) {
  return get(`${CM}?labelSelector=${encodeURIComponent(selector)}`);
}

export const READING: Theme = {
  theme: 'reading',
  scenarios: [
    {
      name: 'list-empty',
      steps: [
        get(`${CM}?${MINE}`),
        get(apis('apps/v1', 'deployments')),
        get('/api/v1/namespaces/c-nowhere/pods'),
        get(`${CM}?${MINE}&limit=5`),
      ],
    },
    {
      name: 'list-is-ordered-by-name',
      steps: [...several(['b', 'a', 'a-b', 'a0', 'ab', 'c.d']), get(`${CM}?${MINE}`)],
    },
    {
      name: 'list-of-all-namespaces',
      steps: [
        setup(post(CM, configMap('here', { metadata: { labels: { 'all-namespaces': 'yes' } } }))),
        get('/api/v1/configmaps?labelSelector=all-namespaces'),
        get('/api/v1/configmaps?fieldSelector=metadata.namespace%3D{ns},metadata.name%3Dhere'),
      ],
    },
    {
      name: 'paging',
      steps: [
        ...several(['a', 'b', 'c', 'd', 'e']),
        get(`${CM}?${MINE}&limit=2`, { capture: { next: '/metadata/continue' } }),
        get(`${CM}?${MINE}&limit=2&continue={next}`, { capture: { last: '/metadata/continue' } }),
        get(`${CM}?${MINE}&limit=2&continue={last}`),
      ],
    },
    {
      name: 'paging-counts-what-remains',
      // Without selectors, the number of remaining items is told.
      steps: [
        ...['a', 'b', 'c', 'd', 'e'].map((name) =>
          setup(
            post(core('services'), {
              apiVersion: 'v1',
              kind: 'Service',
              metadata: { name },
              spec: { clusterIP: 'None' },
            }),
          ),
        ),
        get(`${core('services')}?limit=2`, { capture: { next: '/metadata/continue' } }),
        get(`${core('services')}?limit=10&continue={next}`),
        get(`${core('services')}?limit=5`),
      ],
    },
    {
      name: 'paging-sees-the-past',
      steps: [
        ...several(['a', 'b', 'c', 'd']),
        get(`${CM}?${MINE}&limit=2`, { capture: { next: '/metadata/continue' } }),
        setup(remove(`${CM}/c`)),
        setup(post(CM, configMap('e', { metadata: { labels: { set: 'one' } } }))),
        setup(patch('merge', `${CM}/d`, { data: { changed: 'yes' } })),
        get(`${CM}?${MINE}&limit=5&continue={next}`),
        get(`${CM}?${MINE}`),
      ],
    },
    {
      name: 'paging-with-bad-token',
      steps: [
        // What the decoder says is its own.
        get(`${CM}?limit=2&continue=nonsense`, { ignore: ['/body/message'] }),
        get(`${CM}?limit=2&continue=bm9uc2Vuc2U`, { ignore: ['/body/message'] }),
        get(`${CM}?limit=x`),
        get(`${CM}?limit=-1`),
      ],
    },
    {
      name: 'paging-token-with-version',
      steps: [
        ...several(['a', 'b', 'c']),
        get(`${CM}?${MINE}&limit=1`, {
          capture: { next: '/metadata/continue', at: '/metadata/resourceVersion' },
        }),
        get(`${CM}?${MINE}&limit=1&continue={next}&resourceVersion={at}`),
      ],
    },
    {
      name: 'list-at-versions',
      steps: [
        ...several(['a']),
        get(`${CM}?${MINE}`, { capture: { at: '/metadata/resourceVersion' } }),
        setup(
          post(CM, configMap('b', { metadata: { labels: { set: 'one' } } }), {
            capture: { later: '/metadata/resourceVersion' },
          }),
        ),
        // Out of the cache, in no particular order.
        get(`${CM}?${MINE}&resourceVersion={later}`, { ignore: ['/body/items'] }),
        get(`${CM}?${MINE}&resourceVersion={at}&resourceVersionMatch=Exact&limit=10`),
        get(`${CM}?${MINE}&resourceVersion={later}&resourceVersionMatch=NotOlderThan`, {
          ignore: ['/body/items'],
        }),
        get(`${CM}?${MINE}&resourceVersion=0&resourceVersionMatch=Exact`),
        get(`${CM}?${MINE}&resourceVersion=nonsense`),
        get(`${CM}?${MINE}&resourceVersionMatch=Exact`),
        get(`${CM}?${MINE}&resourceVersion={at}&resourceVersionMatch=Sometimes`),
      ],
    },
    {
      name: 'get-at-versions',
      steps: [
        post(CM, configMap('a'), { capture: { at: '/metadata/resourceVersion' } }),
        get(`${CM}/a?resourceVersion={at}`),
        get(`${CM}/a?resourceVersion=0`, { ignore: ['/body/metadata/resourceVersion'] }),
        get(`${CM}/a?resourceVersion=nonsense`),
      ],
    },
    {
      name: 'get-of-the-future',
      steps: [
        // The wait for that version takes three seconds; what matters is the answer.
        get(`${CM}?${MINE}&resourceVersion=999999999999`),
      ],
    },
    {
      name: 'label-selectors-of-equality',
      steps: [
        ...LABELLED,
        selected('app=web'),
        selected('app==web,tier=front'),
        selected('app!=web'),
        selected('app='),
        selected('tier!=front,app=web'),
      ],
    },
    {
      name: 'label-selectors-of-sets',
      steps: [
        ...LABELLED,
        selected('app in (web, db)'),
        selected('app notin (web)'),
        selected('tier'),
        selected('!tier,app'),
        selected('app in (web),tier notin (front)'),
        selected('tier in ()'),
      ],
    },
    {
      name: 'label-selectors-malformed',
      steps: [
        selected('a=b=c'),
        selected('!'),
        selected('a in b'),
        selected('a in (b'),
        selected('bad key=x'),
        selected('a,,b'),
        selected('a=bad value'),
        selected('UPPER.example/x=1'),
        selected('a>b'),
      ],
    },
    {
      name: 'label-selectors-of-numbers',
      steps: [
        setup(post(CM, configMap('one', { metadata: { labels: { set: 'n', n: '1' } } }))),
        setup(post(CM, configMap('ten', { metadata: { labels: { set: 'n', n: '10' } } }))),
        setup(post(CM, configMap('text', { metadata: { labels: { set: 'n', n: 'x' } } }))),
        selected('n>1'),
        selected('n<10'),
      ],
    },
    {
      name: 'field-selectors',
      steps: [
        setup(post(PODS, pod('a'))),
        setup(
          post(PODS, pod('b', { spec: { nodeName: 'somewhere', containers: [{ name: 'c', image: 'i' }] } })),
        ),
        get(`${PODS}?fieldSelector=metadata.name%3Da`),
        get(`${PODS}?fieldSelector=metadata.name!%3Da`),
        get(`${PODS}?fieldSelector=spec.nodeName%3Dsomewhere`),
        get(`${PODS}?fieldSelector=spec.nodeName%3D`),
        get(`${PODS}?fieldSelector=status.phase%3DPending,metadata.namespace%3D{ns}`),
        get(`${PODS}?fieldSelector=status.phase!%3DRunning,spec.nodeName!%3Dsomewhere`),
        get(`${PODS}?fieldSelector=spec.restartPolicy%3DAlways`),
        get(`${PODS}?fieldSelector=spec.schedulerName%3Dother`),
      ],
    },
    {
      name: 'field-selectors-unknown',
      steps: [
        get(`${PODS}?fieldSelector=spec.containers%3Da`),
        get(`${CM}?fieldSelector=data.a%3Db`),
        get(`${CM}?fieldSelector=nonsense`),
        get(`${apis('apps/v1', 'deployments')}?fieldSelector=spec.replicas%3D1`),
        get(`${core('services')}?fieldSelector=spec.type%3DClusterIP`, { ignore: ['/body', '/status'] }),
      ],
    },
    {
      name: 'field-selectors-of-kinds',
      steps: [
        setup(
          post(core('secrets'), {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 's' },
            type: 'example.com/special',
          }),
        ),
        get(`${core('secrets')}?fieldSelector=type%3Dexample.com/special`),
        get('/api/v1/namespaces?fieldSelector=metadata.name%3D{ns}'),
        get('/api/v1/namespaces?fieldSelector=status.phase%3DTerminating,metadata.name%3D{ns}'),
        get('/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue,metadata.name%3Dnone'),
        setup(
          post(apis('apps/v1', 'replicasets'), {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            metadata: { name: 'r' },
            spec: {
              replicas: 0,
              selector: { matchLabels: { a: 'b' } },
              template: {
                metadata: { labels: { a: 'b' } },
                spec: { containers: [{ name: 'c', image: 'i' }] },
              },
            },
          }),
        ),
        get(`${apis('apps/v1', 'replicasets')}?fieldSelector=status.replicas%3D0`),
      ],
    },
    {
      name: 'get-missing',
      steps: [
        get(`${CM}/none`),
        get(apis('apps/v1', 'deployments', 'none')),
        get('/api/v1/namespaces/c-none'),
        get(`${PODS}/none/status`),
        get(apis('rbac.authorization.k8s.io/v1', 'roles', 'none')),
      ],
    },
    {
      name: 'accept-headers',
      steps: [
        setup(post(CM, configMap('a'))),
        get(`${CM}/a`, { headers: { accept: '*/*' } }),
        get(`${CM}/a`, { headers: { accept: 'application/*' } }),
        get(`${CM}/a`, { headers: { accept: 'application/json;q=0.5, text/html' } }),
        get(`${CM}/a`, { headers: { accept: 'text/html' } }),
        get(`${CM}/a`, {
          headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
        }),
        get(`${CM}?fieldSelector=metadata.name%3Da`, {
          headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
        }),
        get(`${CM}?fieldSelector=metadata.name%3Da`, {
          headers: {
            accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
          },
        }),
        get(`${CM}/a`, { headers: { accept: 'application/json;as=Nonsense;g=meta.k8s.io;v=v1' } }),
      ],
    },
  ],
};
