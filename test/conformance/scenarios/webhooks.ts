/** Which admission webhooks there are: defaults, what is refused, and what happens to writes whose webhook cannot be asked. */
import type { Theme } from '../harness/scenario.ts';
import { apis, core, get, patch, post, remove, setup } from '../harness/steps.ts';

const GROUP = 'admissionregistration.k8s.io/v1';
const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const MUTATING = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const CM = core('configmaps');
/** Nothing listens there. */
const NOWHERE = 'https://127.0.0.1:1/';

const RULE = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

function webhook(extra: object = {}): object {
  return {
    name: 'one.example.com',
    clientConfig: { url: NOWHERE },
    // The namespaces of other scenarios are no concern of it.
    namespaceSelector: { matchLabels: { conformance: '{ns}' } },
    rules: [RULE],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...extra,
  };
}

function configuration(webhooks: readonly object[], kind = 'Validating'): object {
  return {
    apiVersion: GROUP,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: '{ns}' },
    webhooks,
  };
}

const map = (name: string, extra: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...extra },
});

const LABELLED = setup(
  patch('merge', '/api/v1/namespaces/{ns}', { metadata: { labels: { conformance: '{ns}' } } }),
);
/** The words of a failed connection are the network's. */
const FAILED = { ignore: ['/body/message', '/body/details/causes'] };

export const WEBHOOKS: Theme = {
  theme: 'webhooks',
  scenarios: [
    {
      name: 'webhook-configuration-defaults',
      steps: [
        post(VALIDATING, configuration([webhook()])),
        post(
          MUTATING,
          configuration(
            [
              webhook({
                namespaceSelector: undefined,
                clientConfig: { service: { namespace: '{ns}', name: 'judge' } },
                rules: [{ ...RULE, resources: ['none'] }],
              }),
            ],
            'Mutating',
          ),
        ),
        get(`${VALIDATING}/{ns}`, {
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
          ignore: ['/body/columnDefinitions/*/description'],
        }),
        remove(`${VALIDATING}/{ns}`),
        remove(`${MUTATING}/{ns}`),
      ],
    },
    {
      name: 'webhook-configuration-invalid',
      steps: [
        post(VALIDATING, configuration([webhook({ name: 'short' })])),
        post(VALIDATING, configuration([webhook({ name: 'UPPER.example.com' })])),
        post(VALIDATING, configuration([webhook(), webhook()])),
        post(VALIDATING, configuration([webhook({ sideEffects: undefined })])),
        post(VALIDATING, configuration([webhook({ sideEffects: 'Some' })])),
        post(VALIDATING, configuration([webhook({ admissionReviewVersions: [] })])),
        post(VALIDATING, configuration([webhook({ admissionReviewVersions: ['v2'] })])),
        post(VALIDATING, configuration([webhook({ timeoutSeconds: 31 })])),
        post(VALIDATING, configuration([webhook({ failurePolicy: 'Maybe', matchPolicy: 'Nearly' })])),
        post(VALIDATING, configuration([webhook({ clientConfig: {} })])),
        post(VALIDATING, configuration([webhook({ clientConfig: { url: 'http://127.0.0.1/' } })])),
        post(VALIDATING, configuration([webhook({ clientConfig: { url: 'https://a:b@127.0.0.1/?q=1#f' } })])),
        post(
          VALIDATING,
          configuration([webhook({ clientConfig: { service: { namespace: '', name: '', port: 70000 } } })]),
        ),
        post(VALIDATING, configuration([webhook({ rules: [{}] })])),
        post(
          VALIDATING,
          configuration([
            webhook({
              rules: [
                { ...RULE, operations: ['*', 'CREATE', 'READ'], apiGroups: ['*', 'apps'], scope: 'Some' },
              ],
            }),
          ]),
        ),
        post(MUTATING, configuration([webhook({ reinvocationPolicy: 'Often' })], 'Mutating')),
      ],
    },
    {
      name: 'webhook-that-cannot-be-asked',
      steps: [
        LABELLED,
        setup(post(CM, map('old'))),
        setup(post(VALIDATING, configuration([webhook()]))),
        post(CM, map('a'), FAILED),
        patch('merge', `${CM}/old`, { data: { a: 'b' } }, FAILED),
        remove(`${CM}/old`, undefined, FAILED),
        // Not a rule of it: another resource.
        post(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }),
        setup(remove(`${VALIDATING}/{ns}`)),
        setup(post(VALIDATING, configuration([webhook({ failurePolicy: 'Ignore' })]))),
        post(CM, map('a')),
        setup(remove(`${VALIDATING}/{ns}`)),
      ],
    },
    {
      name: 'webhook-selects-objects',
      steps: [
        LABELLED,
        setup(
          post(VALIDATING, configuration([webhook({ objectSelector: { matchLabels: { judged: 'yes' } } })])),
        ),
        post(CM, map('free')),
        post(CM, map('a', { labels: { judged: 'yes' } }), FAILED),
        // What comes into the selection by a change is judged as well.
        patch('merge', `${CM}/free`, { metadata: { labels: { judged: 'yes' } } }, FAILED),
        setup(remove(`${VALIDATING}/{ns}`)),
      ],
    },
    {
      name: 'webhook-subresources',
      steps: [
        LABELLED,
        setup(
          post(
            VALIDATING,
            configuration([
              webhook({ rules: [{ ...RULE, apiGroups: ['apps'], resources: ['deployments/scale'] }] }),
            ]),
          ),
        ),
        setup(
          post(apis('apps/v1', 'deployments'), {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'd' },
            spec: {
              replicas: 0,
              selector: { matchLabels: { app: 'd' } },
              template: {
                metadata: { labels: { app: 'd' } },
                spec: { containers: [{ name: 'c', image: 'i' }] },
              },
            },
          }),
        ),
        patch('merge', `${apis('apps/v1', 'deployments')}/d/scale`, { spec: { replicas: 1 } }, FAILED),
        setup(remove(`${VALIDATING}/{ns}`)),
      ],
    },
  ],
};
