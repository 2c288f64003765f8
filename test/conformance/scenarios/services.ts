/** Services, secrets, budgets, nodes, quotas and limits: defaults, and what is refused. */
import type { Theme } from '../harness/scenario.ts';
import { apis, awaiting, core, get, patch, pod, post, remove, setup } from '../harness/steps.ts';

const PODS = core('pods');
const SERVICES = core('services');

function spec(extra: object, container: object = {}): object {
  return pod('p', { spec: { ...extra, containers: [{ name: 'c', image: 'i', ...container }] } });
}

function service(extra: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports: [{ port: 80 }], ...extra },
  };
}

export const SERVICES_AND_QUOTAS: Theme = {
  theme: 'services',
  scenarios: [
    {
      name: 'service-types',
      steps: [
        post(SERVICES, service({ type: 'NodePort' }), { ignore: ['/body/spec/externalTrafficPolicy'] }),
        post(SERVICES, {
          ...service({ clusterIP: 'None', selector: { a: 'b' } }),
          metadata: { name: 'headless' },
        }),
        post(SERVICES, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'ext' },
          spec: { type: 'ExternalName', externalName: 'example.com' },
        }),
        post(
          SERVICES,
          { ...service({ type: 'LoadBalancer', loadBalancerIP: '192.0.2.1' }), metadata: { name: 'lb' } },
          {
            // Later versions may do without node ports.
            ignore: ['/body/spec/allocateLoadBalancerNodePorts'],
          },
        ),
      ],
    },
    {
      name: 'service-invalid',
      steps: [
        post(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: {} }),
        post(SERVICES, service({ ports: [{ port: 0 }] })),
        post(SERVICES, service({ ports: [{ port: 80 }, { port: 81 }] })),
        post(
          SERVICES,
          service({
            ports: [
              { port: 80, name: 'a' },
              { port: 81, name: 'a' },
            ],
          }),
        ),
        post(SERVICES, service({ ports: [{ port: 80, protocol: 'HTTP' }] })),
        post(SERVICES, service({ type: 'Nonsense' }), { ignore: ['/body/message', '/body/details/causes'] }),
        post(SERVICES, service({ clusterIP: 'nonsense' }), {
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(SERVICES, service({ sessionAffinity: 'Nonsense' }), {
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(SERVICES, service({ selector: { 'bad key': 'x' } })),
        post(SERVICES, service({ type: 'NodePort', ports: [{ port: 80, nodePort: 100 }] })),
      ],
    },
    {
      name: 'service-cluster-ip-is-taken',
      steps: [
        setup(post(SERVICES, service({}), { capture: { ip: '/spec/clusterIP' } })),
        // The message names the address.
        post(
          SERVICES,
          { ...service({ clusterIP: '{ip}' }), metadata: { name: 'again' } },
          { ignore: ['/body/message', '/body/details/causes'] },
        ),
        patch('merge', `${SERVICES}/s`, { spec: { ports: [{ port: 81 }] } }),
        get(`${SERVICES}/s`),
      ],
    },
    {
      name: 'secret-types',
      steps: [
        post(core('secrets'), {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'tls' },
          type: 'kubernetes.io/tls',
          data: {},
        }),
        post(
          core('secrets'),
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'auth' },
            type: 'kubernetes.io/basic-auth',
            stringData: { other: 'x' },
          },
          {
            // A placeholder was left in the fields' names.
            ignore: ['/body/message', '/body/details/causes/*/field'],
          },
        ),
        post(
          core('secrets'),
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'docker' },
            type: 'kubernetes.io/dockerconfigjson',
            data: { '.dockerconfigjson': 'bm90IGpzb24=' },
          },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        setup(post(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain' } })),
        patch('merge', core('secrets', 'plain'), { type: 'example.com/other' }),
      ],
    },
    {
      name: 'disruption-budget-invalid',
      steps: [
        post(
          apis('policy/v1', 'poddisruptionbudgets'),
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata: { name: 'b' },
            spec: { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: { a: 'b' } } },
          },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        post(apis('policy/v1', 'poddisruptionbudgets'), {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b' },
          spec: { minAvailable: '120%', selector: { matchLabels: { a: 'b' } } },
        }),
        post(apis('policy/v1', 'poddisruptionbudgets'), {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b' },
          spec: { minAvailable: -1, selector: { matchLabels: { a: 'b' } } },
        }),
        post(apis('policy/v1', 'poddisruptionbudgets'), {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b' },
          spec: { minAvailable: 'many', selector: { matchLabels: { a: 'b' } } },
        }),
      ],
    },
    {
      name: 'node-taints-and-cordon',
      steps: [
        setup(post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c-node-taints' } })),
        patch(
          'strategic',
          '/api/v1/nodes/c-node-taints',
          { spec: { unschedulable: true } },
          { ignore: ['/body/status'] },
        ),
        patch(
          'merge',
          '/api/v1/nodes/c-node-taints',
          { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }] } },
          { ignore: ['/body/status'] },
        ),
        patch('merge', '/api/v1/nodes/c-node-taints', {
          spec: { taints: [{ key: 'a', effect: 'Nonsense' }] },
        }),
        patch('merge', '/api/v1/nodes/c-node-taints', {
          spec: {
            taints: [
              { key: 'a', effect: 'NoExecute' },
              { key: 'a', effect: 'NoExecute' },
            ],
          },
        }),
        patch(
          'merge',
          '/api/v1/nodes/c-node-taints',
          { spec: { podCIDR: '10.1.2.0/24' } },
          { ignore: ['/body/status'] },
        ),
        patch(
          'merge',
          '/api/v1/nodes/c-node-taints/status',
          {
            status: {
              conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
              capacity: { cpu: '2', memory: '4Gi' },
            },
          },
          { ignore: ['/body/status/nodeInfo', '/body/status/daemonEndpoints'] },
        ),
        patch('json', '/api/v1/nodes/c-node-taints', [{ op: 'remove', path: '/spec/unschedulable' }], {
          ignore: ['/body/status'],
        }),
      ],
    },
    {
      name: 'quota-counts-and-refuses',
      steps: [
        setup(
          post(core('resourcequotas'), {
            apiVersion: 'v1',
            kind: 'ResourceQuota',
            metadata: { name: 'q' },
            spec: { hard: { services: '1', pods: '1', 'requests.cpu': '1' } },
          }),
        ),
        awaiting(core('resourcequotas', 'q'), {
          equals: { '/status/used': { pods: '0', 'requests.cpu': '0', services: '0' } },
          ignore: ['/body/metadata/resourceVersion'],
        }),
        post(SERVICES, service({ clusterIP: 'None' })),
        post(SERVICES, { ...service({ clusterIP: 'None' }), metadata: { name: 's2' } }),
        // Later versions name the containers.
        post(PODS, spec({}), { ignore: ['/body/message'] }),
        post(PODS, spec({}, { resources: { requests: { cpu: '2' } } })),
        post(PODS, spec({}, { resources: { requests: { cpu: '600m' } } })),
        post(
          PODS,
          pod('p2', {
            spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1m' } } }] },
          }),
          {
            // A pod of two problems: which is told first is left to chance.
            ignore: ['/body/message', '/body/details/causes'],
          },
        ),
        get(core('resourcequotas', 'q'), { ignore: ['/body/metadata/resourceVersion'] }),
        setup(remove(`${PODS}/p`)),
        awaiting(core('resourcequotas', 'q'), {
          equals: { '/status/used/pods': '0' },
          ignore: ['/body/metadata/resourceVersion'],
        }),
      ],
    },
    {
      name: 'quota-invalid',
      steps: [
        post(core('resourcequotas'), {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q' },
          spec: { hard: { pods: '-1' } },
        }),
        post(core('resourcequotas'), {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q' },
          spec: { hard: { nonsense: '1' } },
        }),
      ],
    },
    {
      name: 'limit-range-defaults-and-refuses',
      steps: [
        setup(
          post(core('limitranges'), {
            apiVersion: 'v1',
            kind: 'LimitRange',
            metadata: { name: 'l' },
            spec: {
              limits: [
                {
                  type: 'Container',
                  default: { cpu: '500m' },
                  defaultRequest: { cpu: '100m' },
                  max: { cpu: '1' },
                  min: { memory: '1Mi' },
                },
              ],
            },
          }),
        ),
        // The server decides by a cached copy of the limit range.
        setup(awaiting(core('limitranges', 'l'))),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { requests: { memory: '2Mi' } } })),
        post(
          `${PODS}?dryRun=All`,
          spec({}, { resources: { requests: { memory: '2Mi' }, limits: { cpu: '2' } } }),
        ),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { requests: { memory: '1Ki' } } })),
      ],
    },
  ],
};
