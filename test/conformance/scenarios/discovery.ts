/** What clients ask first: discovery, version, health, and tables; what is answered where nothing is. */
import type { Sample } from '../harness/samples.ts';
import { CLUSTER_SAMPLES, SAMPLES } from '../harness/samples.ts';
import type { Scenario, Theme } from '../harness/scenario.ts';
import { configMap, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

/** Parts of a resource list that are each server's own. */
const RESOURCE_LIST = [
  // A hash of the storage's encoding; single names were written down later; groups of categories grew.
  '/body/resources/*/storageVersionHash',
  '/body/resources/*/singularName',
];

export const DISCOVERY: Theme = {
  theme: 'discovery',
  scenarios: [
    { name: 'api-versions', steps: [get('/api', { ignore: ['/body/serverAddressByClientCIDRs'] })] },
    {
      name: 'version',
      // The numbers are each server's own.
      steps: [
        get('/version', { ignore: ['/body'] }),
        get('/version/', { ignore: ['/body'] }),
        post('/version', {}, { ignore: ['/body', '/headers'] }),
      ],
    },
    {
      name: 'health',
      steps: [
        get('/healthz'),
        get('/livez'),
        get('/readyz'),
        get('/healthz/ping'),
        get('/readyz?verbose=1', { ignore: ['/body'] }),
      ],
    },
    {
      name: 'resources-of-a-group',
      steps: [
        get('/apis/coordination.k8s.io/v1', { ignore: RESOURCE_LIST }),
        get('/apis/rbac.authorization.k8s.io/v1', { ignore: RESOURCE_LIST }),
        get('/apis/coordination.k8s.io', { ignore: ['/body/versions'] }),
      ],
    },
    {
      name: 'discovery-of-nothing',
      steps: [
        get('/apis/nothing.example.com'),
        get('/apis/nothing.example.com/v1'),
        get('/apis/apps/v9'),
        get('/api/v9'),
        get('/apis/apps/v1/nothing'),
        get('/nothing', { ignore: ['/body'] }),
      ],
    },
    {
      name: 'methods-that-are-not-allowed',
      steps: [
        post('/api/v1/namespaces/{ns}/pods/p', pod('p')),
        put(core('pods'), pod('p')),
        patch('merge', core('pods'), {}),
        post('/api/v1/pods', pod('p')),
        put('/api/v1/pods', pod('p')),
        remove('/api/v1/componentstatuses/x', undefined, { ignore: ['/body', '/status'] }),
        get('/apis/authorization.k8s.io/v1/subjectaccessreviews'),
        { request: 'OPTIONS /api/v1/pods', ignore: ['/body', '/headers'] },
      ],
    },
    {
      name: 'head-requests',
      steps: [
        setup(post(core('configmaps'), configMap('a'))),
        { request: `HEAD ${core('configmaps')}/a`, ignore: ['/body', '/headers'] },
      ],
    },
    {
      name: 'body-of-unknown-type',
      steps: [
        post(core('configmaps'), 'a=b', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
        post(core('configmaps'), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}', {
          headers: { 'content-type': 'text/plain' },
        }),
        post(core('configmaps'), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}', {
          headers: { 'content-type': 'application/json; charset=utf-8' },
        }),
      ],
    },
    {
      name: 'objects-that-are-too-large',
      steps: [
        post(core('configmaps'), configMap('big', { data: { a: 'x'.repeat(1_100_000) } }), {
          // The message would hold the object.
          ignore: ['/body/message', '/body/details/causes/*/message'],
        }),
        post(core('configmaps'), configMap('huge', { data: { a: 'x'.repeat(3_200_000) } }), {
          ignore: ['/body/message'],
        }),
        post(
          core('secrets'),
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 's' },
            stringData: { a: 'x'.repeat(1_100_000) },
          },
          {
            ignore: ['/body/message', '/body/details/causes/*/message'],
          },
        ),
        post(
          core('configmaps'),
          configMap('annotated', { metadata: { annotations: { a: 'x'.repeat(300_000) } } }),
          // Later versions say it in other words.
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
      ],
    },
    {
      name: 'paths-with-slashes',
      steps: [
        get('/api/v1/namespaces/{ns}/configmaps/'),
        get('/api//v1/namespaces', { ignore: ['/body', '/headers', '/status'] }),
        get('/api/v1/namespaces/{ns}/configmaps/a%2Fb'),
        get('/api/v1/namespaces/{ns}/configmaps/%zz', { ignore: ['/body', '/headers'] }),
      ],
    },
  ],
};

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json' };

/** Kinds of which later versions print other columns, or which are asked for in an earlier version here. */
const OTHER_COLUMNS = new Set([
  'endpointslice',
  'cronjob',
  'persistentvolume',
  'persistentvolumeclaim',
  'resourcequota',
  'limitrange',
  'horizontalpodautoscaler',
  'priorityclass',
]);

/** The restarts of a pod are a number in 1.20, and a text with the time of the last one since 1.22. */
const RESTARTS = ['/body/columnDefinitions/3/type', '/body/rows/*/cells/3'];

/** The list as `kubectl get` asks for it. */
function tableOf({ name, at, object, ignore = [] }: Sample): Scenario {
  const id = `table-${name}`;
  const metadata = { name: id, labels: { table: name } };
  return {
    name: id,
    steps: [
      setup(post(at, { ...object, metadata })),
      get(`${at}?labelSelector=table%3D${name}`, {
        headers: TABLE,
        // What the columns mean is said in other words by each version; the objects are compared elsewhere.
        ignore: [
          ...ignore,
          '/body/columnDefinitions/*/description',
          '/body/rows/*/object/metadata',
          ...(name === 'pod' ? RESTARTS : []),
        ],
      }),
    ],
  };
}

export const TABLES: Theme = {
  theme: 'tables',
  scenarios: [
    ...[...SAMPLES, ...CLUSTER_SAMPLES].filter(({ name }) => !OTHER_COLUMNS.has(name)).map(tableOf),
    {
      name: 'table-of-one-object',
      steps: [
        setup(post(core('configmaps'), configMap('a', { data: { a: '1', b: '2' } }))),
        get(`${core('configmaps')}/a`, { headers: TABLE, ignore: ['/body/columnDefinitions/*/description'] }),
        get(`${core('configmaps')}/a?includeObject=None`, {
          headers: TABLE,
          ignore: ['/body/columnDefinitions/*/description'],
        }),
        get(`${core('configmaps')}/a?includeObject=Object`, {
          headers: TABLE,
          ignore: ['/body/columnDefinitions/*/description'],
        }),
        get(`${core('configmaps')}/a?includeObject=Nonsense`, {
          headers: TABLE,
          ignore: ['/body/columnDefinitions/*/description'],
        }),
        get(`${core('configmaps')}/none`, {
          headers: TABLE,
          ignore: ['/body/columnDefinitions/*/description'],
        }),
      ],
    },
    {
      name: 'table-of-nothing',
      steps: [
        get(core('pods'), { headers: TABLE, ignore: ['/body/columnDefinitions/*/description', ...RESTARTS] }),
      ],
    },
    {
      name: 'table-of-pods',
      steps: [
        setup(
          post(
            core('pods'),
            pod('running', {
              spec: {
                nodeName: 'c-n',
                containers: [
                  { name: 'a', image: 'i' },
                  { name: 'b', image: 'i' },
                ],
              },
            }),
          ),
        ),
        setup(
          patch('merge', core('pods', 'running/status'), {
            status: {
              phase: 'Running',
              podIP: '192.0.2.3',
              podIPs: [{ ip: '192.0.2.3' }],
              conditions: [{ type: 'Ready', status: 'False' }],
              containerStatuses: [
                {
                  name: 'a',
                  image: 'i',
                  imageID: 'x',
                  ready: true,
                  restartCount: 3,
                  state: { running: { startedAt: '2020-01-01T00:00:00Z' } },
                  lastState: {},
                },
                {
                  name: 'b',
                  image: 'i',
                  imageID: 'x',
                  ready: false,
                  restartCount: 1,
                  state: { waiting: { reason: 'CrashLoopBackOff' } },
                  lastState: {},
                },
              ],
            },
          }),
        ),
        setup(post(core('pods'), pod('done'))),
        setup(
          patch('merge', core('pods', 'done/status'), {
            status: {
              phase: 'Succeeded',
              containerStatuses: [
                {
                  name: 'main',
                  image: 'i',
                  imageID: 'x',
                  ready: false,
                  restartCount: 0,
                  state: {
                    terminated: {
                      exitCode: 0,
                      reason: 'Completed',
                      startedAt: '2020-01-01T00:00:00Z',
                      finishedAt: '2020-01-01T00:00:01Z',
                    },
                  },
                  lastState: {},
                },
              ],
            },
          }),
        ),
        setup(post(core('pods'), pod('evicted'))),
        setup(
          patch('merge', core('pods', 'evicted/status'), { status: { phase: 'Failed', reason: 'Evicted' } }),
        ),
        setup(post(core('pods'), pod('failed'))),
        setup(
          patch('merge', core('pods', 'failed/status'), {
            status: {
              phase: 'Failed',
              containerStatuses: [
                {
                  name: 'main',
                  image: 'i',
                  imageID: 'x',
                  ready: false,
                  restartCount: 0,
                  state: {
                    terminated: {
                      exitCode: 137,
                      startedAt: '2020-01-01T00:00:00Z',
                      finishedAt: '2020-01-01T00:00:01Z',
                    },
                  },
                  lastState: {},
                },
              ],
            },
          }),
        ),
        setup(
          post(
            core('pods'),
            pod('init', {
              spec: {
                initContainers: [
                  { name: 'i1', image: 'i' },
                  { name: 'i2', image: 'i' },
                ],
                containers: [{ name: 'a', image: 'i' }],
              },
            }),
          ),
        ),
        setup(
          patch('merge', core('pods', 'init/status'), {
            status: {
              phase: 'Pending',
              initContainerStatuses: [
                {
                  name: 'i1',
                  image: 'i',
                  imageID: 'x',
                  ready: true,
                  restartCount: 0,
                  state: {
                    terminated: {
                      exitCode: 0,
                      startedAt: '2020-01-01T00:00:00Z',
                      finishedAt: '2020-01-01T00:00:01Z',
                    },
                  },
                  lastState: {},
                },
                {
                  name: 'i2',
                  image: 'i',
                  imageID: 'x',
                  ready: false,
                  restartCount: 2,
                  state: { running: { startedAt: '2020-01-01T00:00:00Z' } },
                  lastState: {},
                },
              ],
            },
          }),
        ),
        setup(
          post(
            core('pods'),
            pod('going', { spec: { nodeName: 'c-n', containers: [{ name: 'a', image: 'i' }] } }),
          ),
        ),
        setup(
          patch('merge', core('pods', 'going/status'), {
            status: {
              phase: 'Running',
              containerStatuses: [
                {
                  name: 'a',
                  image: 'i',
                  imageID: 'x',
                  ready: true,
                  restartCount: 0,
                  state: { running: { startedAt: '2020-01-01T00:00:00Z' } },
                  lastState: {},
                },
              ],
            },
          }),
        ),
        setup(remove(core('pods', 'going'))),
        get(core('pods'), {
          headers: TABLE,
          ignore: ['/body/columnDefinitions/*/description', '/body/rows/*/object/metadata', ...RESTARTS],
        }),
      ],
    },
    {
      name: 'table-of-events',
      steps: [
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'e' },
            involvedObject: {
              apiVersion: 'v1',
              kind: 'Pod',
              name: 'p',
              namespace: '{ns}',
              fieldPath: 'spec.containers{c}',
            },
            reason: 'R',
            message: ' text ',
            type: 'Normal',
            source: { component: 'c', host: 'h' },
            firstTimestamp: '2020-01-02T03:04:05Z',
            lastTimestamp: '2020-01-02T03:04:05Z',
            count: 4,
          }),
        ),
        get(core('events'), {
          headers: TABLE,
          ignore: ['/body/columnDefinitions/*/description', '/body/rows/*/object/metadata'],
        }),
      ],
    },
  ],
};
