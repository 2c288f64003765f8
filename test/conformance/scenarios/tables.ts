/** Tables: what `kubectl get` shows. */
import type { Sample } from '../harness/samples.ts';
import { CLUSTER_SAMPLES, SAMPLES } from '../harness/samples.ts';
import type { Scenario, Theme } from '../harness/scenario.ts';
import { configMap, core, get, patch, pod, post, remove, setup } from '../harness/steps.ts';

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
