/** Dry runs, unknown fields, bodies that are none and bodies in YAML. */
import type { Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

const CM = core('configmaps');

const YAML = { 'content-type': 'application/yaml' };

export const BODIES: Theme = {
  theme: 'bodies',
  scenarios: [
    {
      name: 'dry-run-create',
      steps: [
        post(`${CM}?dryRun=All`, configMap('a', { data: { b: 'c' } })),
        get(`${CM}/a`),
        post(`${CM}?dryRun=All`, configMap('Bad')),
        setup(post(CM, configMap('a'))),
        post(`${CM}?dryRun=All`, configMap('a')),
        post(`${CM}?dryRun=Some`, configMap('z')),
        post(`${CM}?dryRun=All&dryRun=All`, configMap('z')),
      ],
    },
    {
      name: 'dry-run-change',
      steps: [
        post(CM, configMap('a', { data: { n: '1' } }), { capture: { first: '/metadata/resourceVersion' } }),
        put(`${CM}/a?dryRun=All`, configMap('a', { data: { n: '2' } })),
        patch('merge', `${CM}/a?dryRun=All`, { data: { n: '3' } }),
        put(`${CM}/a?dryRun=All`, configMap('a', { metadata: { resourceVersion: '1' } })),
        remove(`${CM}/a?dryRun=All`),
        remove(`${CM}/a`, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] }),
        get(`${CM}/a`),
      ],
    },
    {
      name: 'dry-run-of-allocations',
      steps: [
        post(`${core('pods')}?dryRun=All`, pod('p')),
        post(`${core('services')}?dryRun=All`, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: { clusterIP: 'None', ports: [{ port: 80 }] },
        }),
        post(`${apis('apps/v1', 'deployments')}?dryRun=All`, {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          },
        }),
        post('/api/v1/namespaces?dryRun=All', {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'c-dry-run-of-allocations-2' },
        }),
      ],
    },
    {
      name: 'unknown-fields-are-dropped',
      steps: [
        post(
          `${CM}?fieldValidation=Ignore`,
          configMap('a', { nonsense: { a: 1 }, metadata: { nonsense: true }, data: { a: 'b' } }),
        ),
        post(
          `${core('pods')}?fieldValidation=Ignore`,
          pod('p', { spec: { nonsense: 1, containers: [{ name: 'c', image: 'i', nonsense: { a: [] } }] } }),
        ),
      ],
    },
    {
      name: 'bodies-that-are-none', // what the JSON decoder says is its own
      steps: [
        post(CM, '{"apiVersion": "v1", "kind": ', { ignore: ['/body/message'] }),
        post(CM, '{}'),
        post(CM, '[]', { ignore: ['/body/message'] }),
        post(CM, 'null'),
        post(CM, '', { ignore: ['/body/message'] }),
        post(CM, '"text"', { ignore: ['/body/message'] }),
      ],
    },
    {
      name: 'yaml-body',
      steps: [
        post(
          CM,
          'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\ndata:\n  number: "1"\n  text: |\n    two\n    lines\n',
          { headers: YAML },
        ),
        put(`${CM}/text`, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: text}\ndata: {a: b}\n', {
          headers: YAML,
        }),
        get(`${CM}/text`, { headers: { accept: 'application/yaml' }, ignore: ['/body'] }),
      ],
    },
    {
      name: 'yaml-body-with-words-for-booleans',
      steps: [
        post(CM, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  on: "yes"\n', {
          headers: YAML,
        }),
        post(CM, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\nimmutable: yes\n', {
          headers: YAML,
        }),
        // The decoder's text is its own.
        post(CM, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: no\n', {
          headers: YAML,
          ignore: ['/body/message'],
        }),
      ],
    },
    {
      name: 'status-is-not-written-with-the-object',
      steps: [
        post(core('pods'), pod('p', { status: { phase: 'Running', podIP: '192.0.2.1' } })),
        put(core('pods', 'p'), pod('p', { status: { phase: 'Failed' } }), {
          // The message holds a dump of the pod.
          ignore: ['/body/message', '/body/details/causes'],
        }),
        patch('merge', core('pods', 'p'), { status: { phase: 'Failed' }, metadata: { labels: { a: 'b' } } }),
      ],
    },
  ],
};
