/** Watches: the sequence of events, where they begin, what they leave out. */
import type { Theme } from '../harness/scenario.ts';
import {
  apis,
  awaiting,
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

const CM = core('configmaps');
const PODS = core('pods');
/** Lists the collection for the version at which a watch begins. */
const listed = setup(get(CM, { capture: { start: '/metadata/resourceVersion' } }));
/** The last change of a scenario: what ends the collection of events. */
const marker = setup(post(CM, configMap('zz-end', { metadata: { labels: { app: 'web' } } })));
const END = { type: 'ADDED', name: 'zz-end' };

export const WATCHING: Theme = {
  theme: 'watching',
  scenarios: [
    {
      name: 'watch-sees-each-change',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}`),
        setup(post(CM, configMap('a', { data: { n: '1' } }))),
        setup(patch('merge', `${CM}/a`, { data: { n: '2' } })),
        setup(put(`${CM}/a`, configMap('a', { data: { n: '3' } }))),
        setup(remove(`${CM}/a`)),
        marker,
        collect('w', END),
      ],
    },
    {
      name: 'watch-replays-history',
      steps: [
        listed,
        setup(post(CM, configMap('a', { data: { n: '1' } }))),
        setup(patch('merge', `${CM}/a`, { data: { n: '2' } })),
        setup(remove(`${CM}/a`)),
        setup(post(CM, configMap('a', { data: { n: '3' } }))),
        marker,
        watch('w', `${CM}?resourceVersion={start}`),
        collect('w', END),
      ],
    },
    {
      name: 'watch-begins-after-an-object',
      steps: [
        setup(post(CM, configMap('a'), { capture: { first: '/metadata/resourceVersion' } })),
        setup(patch('merge', `${CM}/a`, { data: { n: '2' } })),
        marker,
        watch('w', `${CM}?resourceVersion={first}`),
        collect('w', END),
      ],
    },
    {
      name: 'watch-without-version-sends-what-is-there',
      steps: [
        setup(post(CM, configMap('a', { metadata: { labels: { app: 'web' } }, data: { n: '1' } }))),
        setup(patch('merge', `${CM}/a`, { data: { n: '2' } })),
        watch('w', `${CM}?labelSelector=app%3Dweb`),
        collect('w', { name: 'a' }),
        setup(patch('merge', `${CM}/a`, { data: { n: '3' } })),
        collect('w', { name: 'a' }),
      ],
    },
    {
      name: 'watch-from-version-0-sends-what-is-there',
      steps: [
        setup(
          post(CM, configMap('a', { metadata: { labels: { app: 'web' } } }), {
            capture: { at: '/metadata/resourceVersion' },
          }),
        ),
        // The cache has to have seen it.
        setup(get(`${CM}?resourceVersion={at}`)),
        watch('w', `${CM}?resourceVersion=0&labelSelector=app%3Dweb`),
        collect('w', { name: 'a' }),
        setup(remove(`${CM}/a`)),
        collect('w', { name: 'a' }),
      ],
    },
    {
      name: 'watch-with-label-selector',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}&labelSelector=app%3Dweb`),
        setup(post(CM, configMap('never', { metadata: { labels: { app: 'db' } } }))),
        setup(post(CM, configMap('a', { metadata: { labels: { app: 'web' } } }))),
        setup(patch('merge', `${CM}/a`, { data: { n: '1' } })),
        // Leaves the selection: DELETED for the watcher.
        setup(patch('merge', `${CM}/a`, { metadata: { labels: { app: 'db' } } })),
        setup(patch('merge', `${CM}/a`, { data: { n: '2' } })),
        // Comes back: ADDED.
        setup(patch('merge', `${CM}/a`, { metadata: { labels: { app: 'web' } } })),
        setup(remove(`${CM}/a`)),
        marker,
        collect('w', END),
      ],
    },
    {
      name: 'watch-with-field-selector',
      steps: [
        setup(get(PODS, { capture: { start: '/metadata/resourceVersion' } })),
        watch('w', `${PODS}?resourceVersion={start}&fieldSelector=status.phase%3DRunning`),
        setup(post(PODS, pod('p'))),
        setup(patch('merge', `${PODS}/p/status`, { status: { phase: 'Running' } })),
        setup(patch('merge', `${PODS}/p/status`, { status: { message: 'fine' } })),
        setup(patch('merge', `${PODS}/p/status`, { status: { phase: 'Succeeded' } })),
        setup(post(PODS, pod('zz-end'))),
        setup(patch('merge', `${PODS}/zz-end/status`, { status: { phase: 'Running' } })),
        collect('w', END),
      ],
    },
    {
      name: 'watch-of-one-object',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}&fieldSelector=metadata.name%3Dmine`),
        setup(post(CM, configMap('other'))),
        setup(post(CM, configMap('mine'))),
        setup(remove(`${CM}/other`)),
        setup(remove(`${CM}/mine`)),
        collect('w', { type: 'DELETED', name: 'mine' }),
      ],
    },
    {
      name: 'watch-by-the-object-path-is-a-get',
      steps: [setup(post(CM, configMap('mine'))), get(`${CM}/mine?watch=1`)],
    },
    {
      name: 'watch-by-the-old-path',
      steps: [
        listed,
        watch('w', '/api/v1/watch/namespaces/{ns}/configmaps?resourceVersion={start}'),
        marker,
        collect('w', END),
      ],
    },
    {
      name: 'watch-of-all-namespaces',
      steps: [
        listed,
        watch('w', '/api/v1/configmaps?resourceVersion={start}&labelSelector=scenario%3Dwatch-of-all'),
        setup(post(CM, configMap('a', { metadata: { labels: { scenario: 'watch-of-all' } } }))),
        collect('w', { name: 'a' }),
      ],
    },
    {
      name: 'watch-of-another-namespace-is-silent',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}`),
        setup(post('/api/v1/namespaces/default/configmaps', configMap('c-watch-of-another'))),
        setup(remove('/api/v1/namespaces/default/configmaps/c-watch-of-another')),
        marker,
        collect('w', END),
      ],
    },
    {
      name: 'watch-of-deletion-with-finalizer',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}`),
        setup(post(CM, configMap('a', { metadata: { finalizers: ['example.com/wait'] } }))),
        setup(remove(`${CM}/a`)),
        setup(patch('merge', `${CM}/a`, { metadata: { finalizers: null } })),
        marker,
        collect('w', END),
      ],
    },
    {
      name: 'watch-of-no-change',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}`),
        setup(post(CM, configMap('a', { data: { n: '1' } }))),
        setup(patch('merge', `${CM}/a`, { data: { n: '1' } })),
        setup(put(`${CM}/a`, configMap('a', { data: { n: '1' } }))),
        setup(patch('merge', `${CM}/a?dryRun=All`, { data: { n: '2' } })),
        setup(remove(`${CM}/a?dryRun=All`)),
        marker,
        collect('w', END),
      ],
    },
    {
      name: 'watch-of-deletecollection',
      steps: [
        ...['a', 'b', 'c'].map((name) =>
          setup(post(CM, configMap(name, { metadata: { labels: { app: 'web' } } }))),
        ),
        listed,
        watch('w', `${CM}?resourceVersion={start}&labelSelector=app%3Dweb`),
        setup(remove(`${CM}?labelSelector=app%3Dweb`)),
        marker,
        collect('w', END, { ignore: ['/events/*/object/metadata/name', '/events/*/object/metadata/uid'] }),
      ],
    },
    {
      name: 'watch-ends-in-time',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}&timeoutSeconds=1`),
        setup(post(CM, configMap('a'))),
        collect('w', 'end'),
      ],
    },
    {
      name: 'watch-bookmark-at-the-end',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}&timeoutSeconds=3&allowWatchBookmarks=true`),
        setup(post(CM, configMap('a'))),
        // Bookmarks come about two seconds before the end of the watch; how many is the server's business.
        collect('w', { type: 'BOOKMARK' }),
      ],
    },
    {
      name: 'watch-with-bad-version',
      steps: [
        get(`${CM}?watch=1&resourceVersion=nonsense`),
        get(`${CM}?watch=1&resourceVersion=1&timeoutSeconds=x`, { ignore: ['/body/message'] }),
      ],
    },
    {
      name: 'watch-of-unknown-things',
      steps: [
        get('/api/v1/namespaces/{ns}/nonsense?watch=1'),
        get('/apis/apps/v1/namespaces/{ns}/nonsense?watch=true'),
        get(`${CM}?watch=1&labelSelector=a%3Db%3Dc`),
        get(`${CM}?watch=1&fieldSelector=data.x%3D1`),
      ],
    },
    {
      name: 'watch-as-partial-metadata',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}`, {
          accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
        }),
        setup(post(CM, configMap('a', { data: { big: 'x' }, metadata: { labels: { a: 'b' } } }))),
        collect('w', { name: 'a' }),
      ],
    },
    {
      name: 'watch-as-table',
      steps: [
        listed,
        watch('w', `${CM}?resourceVersion={start}&timeoutSeconds=1`, {
          accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        }),
        setup(post(CM, configMap('a', { data: { n: '1' } }))),
        setup(patch('merge', `${CM}/a`, { data: { m: '2' } })),
        collect('w', 'end', { ignore: ['/events/*/object/columnDefinitions/*/description'] }),
      ],
    },
    {
      name: 'watch-of-subresource-writes',
      steps: [
        setup(get(apis('apps/v1', 'deployments'), { capture: { start: '/metadata/resourceVersion' } })),
        watch('w', `${apis('apps/v1', 'deployments')}?resourceVersion={start}`),
        setup(
          post(apis('apps/v1', 'deployments'), {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'd' },
            spec: {
              selector: { matchLabels: { a: 'b' } },
              template: {
                metadata: { labels: { a: 'b' } },
                spec: { containers: [{ name: 'c', image: 'i' }] },
              },
            },
          }),
        ),
        setup(
          patch('merge', apis('apps/v1', 'deployments', 'd/status'), {
            status: { observedGeneration: 1, replicas: 1 },
          }),
        ),
        setup(patch('merge', apis('apps/v1', 'deployments', 'd/scale'), { spec: { replicas: 3 } })),
        setup(
          patch('merge', apis('apps/v1', 'deployments', 'd'), { metadata: { annotations: { last: 'yes' } } }),
        ),
        setup(remove(apis('apps/v1', 'deployments', 'd'))),
        collect('w', { type: 'DELETED' }),
      ],
    },
    {
      name: 'watch-of-pod-deletions',
      steps: [
        setup(get(PODS, { capture: { start: '/metadata/resourceVersion' } })),
        watch('w', `${PODS}?resourceVersion={start}`),
        setup(post(PODS, pod('waiting'))),
        setup(remove(`${PODS}/waiting`)),
        setup(
          post(
            PODS,
            pod('placed', { spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] } }),
          ),
        ),
        setup(remove(`${PODS}/placed`)),
        setup(remove(`${PODS}/placed?gracePeriodSeconds=0`)),
        setup(
          post(
            PODS,
            pod('forced', { spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] } }),
          ),
        ),
        setup(remove(`${PODS}/forced?gracePeriodSeconds=0`)),
        setup(post(PODS, pod('zz-end'))),
        collect('w', END),
      ],
    },
    {
      name: 'watch-of-a-namespace-life',
      steps: [
        setup(get('/api/v1/namespaces', { capture: { start: '/metadata/resourceVersion' } })),
        watch(
          'w',
          '/api/v1/namespaces?resourceVersion={start}&fieldSelector=metadata.name%3Dc-watch-of-a-namespace-life-2',
        ),
        setup(
          post('/api/v1/namespaces', {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: 'c-watch-of-a-namespace-life-2' },
          }),
        ),
        collect('w', { type: 'ADDED' }),
        setup(remove('/api/v1/namespaces/c-watch-of-a-namespace-life-2')),
        collect('w', { type: 'MODIFIED' }),
        setup(awaiting('/api/v1/namespaces/c-watch-of-a-namespace-life-2', { status: 404 })),
      ],
    },
  ],
};
