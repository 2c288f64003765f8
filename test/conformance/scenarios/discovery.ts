import type { Theme } from '../harness/scenario.ts';
import { configMap, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

/** Parts of a resource list that are each server's own. */
const RESOURCE_LIST = [
  // A hash of the storage's encoding; single names were written down later; groups of categories grew.
  '/body/resources/*/storageVersionHash',
  '/body/resources/*/singularName',
];

/** Some definitions of the OpenAPI document, with fields whose types tools need. */
const DEFINED: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.api.core.v1.ConfigMap': ['data', 'immutable', 'metadata'],
  'io.k8s.api.core.v1.Pod': ['spec', 'metadata', 'kind'],
  'io.k8s.api.core.v1.PodSpec': ['containers', 'nodeSelector', 'restartPolicy', 'hostNetwork'],
  'io.k8s.api.core.v1.Container': ['env', 'ports', 'command', 'volumeMounts'],
  'io.k8s.api.apps.v1.Deployment': ['spec', 'status'],
  'io.k8s.api.apps.v1.DeploymentSpec': ['replicas', 'selector', 'template'],
  'io.k8s.api.core.v1.ServiceSpec': ['ports', 'clusterIP'],
};

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
      name: 'openapi-of-built-in-kinds',
      steps: [
        get('/openapi/v2', {
          headers: { accept: 'application/json' },
          // Descriptions are not the same, nor is the number of fields.
          only: [
            ...Object.entries(DEFINED).flatMap(([name, fields]) => [
              `/definitions/${name}/x-kubernetes-group-version-kind`,
              ...fields.map((field) => `/definitions/${name}/properties/${field}`),
            ]),
          ].filter((pointer) => !pointer.endsWith('/')),
          // How lists and maps are merged is written down for all of them since 1.27.
          ignore: [
            '/body/*/description',
            '/headers',
            '/body/*/default',
            '/body/*/x-kubernetes-list-type',
            '/body/*/x-kubernetes-list-map-keys',
            '/body/*/x-kubernetes-map-type',
          ],
        }),
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
