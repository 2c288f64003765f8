import {
  WEBHOOK_PERMISSIONS,
  webhookConfigurationPermissions,
  webhookSecretPermissions,
} from '../../chaos/permissions/webhook.ts';
import { componentDeployment } from './component-deployment.ts';
import { accessOf, metadataOf, serviceOf } from './component-objects.ts';
import type { InstallObject } from './install-object.ts';
import { clusterName, EVENT_TRACKER_NAME, labelsOf, OPERATOR_NAME, WEBHOOK_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: WEBHOOK_NAME, component: 'webhook' };
const PORT = 9443;
const SECRET = `${WEBHOOK_NAME}-tls`;
/** A judgement is a handful of requests; the API server waits no longer. */
const TIMEOUT_SECONDS = 10;

/** What answers admission requests; {@link webhookConfiguration} makes the API server ask. Pure. */
export function webhookObjects(settings: InstallSettings): InstallObject[] {
  const { account, grant } = accessOf(settings, COMPONENT);
  const everywhere = clusterName(settings, WEBHOOK_NAME);
  const secret = metadataOf(settings, { ...COMPONENT, name: SECRET });
  return [
    account,
    ...grant(everywhere, undefined, [...WEBHOOK_PERMISSIONS, ...webhookConfigurationPermissions(everywhere)]),
    ...grant(WEBHOOK_NAME, settings.namespace, webhookSecretPermissions(SECRET)),
    // Empty: the webhook makes its own certificate and renews it, so no manifest ever holds a key.
    { apiVersion: 'v1', kind: 'Secret', metadata: secret, type: 'Opaque' },
    serviceOf(settings, COMPONENT, [{ name: 'https', port: 443, targetPort: 'https' }]),
    webhookDeployment(settings),
  ];
}

const JUDGED = [
  {
    apiGroups: ['litmuschaos.io'],
    apiVersions: ['v1alpha1'],
    resources: ['chaosengines', 'chaosexperiments', 'chaosschedules'],
  },
  {
    apiGroups: ['eventtracker.litmuschaos.io'],
    apiVersions: ['v1'],
    resources: ['eventtrackerpolicies'],
  },
] as const;

/** The objects that these create were judged before. */
const TRUSTED = [OPERATOR_NAME, EVENT_TRACKER_NAME] as const;

/**
 * Makes the API server ask the webhook: to be applied last. Creating needs an answer; changes do not, because an abort is a change
 * and must not hang on this. Pure.
 */
export function webhookConfiguration(settings: InstallSettings): InstallObject {
  const { namespace, watchNamespace } = settings;
  const rules = (operation: string): object[] =>
    JUDGED.map((judged) => ({ ...judged, operations: [operation], scope: 'Namespaced' }));
  const webhook = (name: string, operation: string, failurePolicy: string): object => ({
    name,
    rules: rules(operation),
    failurePolicy,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: TIMEOUT_SECONDS,
    clientConfig: { service: { name: WEBHOOK_NAME, namespace, path: '/validate', port: 443 } },
    ...(watchNamespace === undefined
      ? {}
      : { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': watchNamespace } } }),
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: clusterName(settings, WEBHOOK_NAME), labels: labelsOf(settings, COMPONENT.component) },
    webhooks: [
      webhook('create.turnsole.io', 'CREATE', 'Fail'),
      webhook('update.turnsole.io', 'UPDATE', 'Ignore'),
    ],
  };
}

function webhookDeployment(settings: InstallSettings): InstallObject {
  const { namespace } = settings;
  return componentDeployment(settings, {
    ...COMPONENT,
    // Without one that answers nothing could be created.
    mayOverlap: true,
    args: [],
    env: [
      { name: 'WEBHOOK_SERVICE', value: WEBHOOK_NAME },
      { name: 'WEBHOOK_SECRET', value: SECRET },
      { name: 'WEBHOOK_CONFIGURATION', value: clusterName(settings, WEBHOOK_NAME) },
      // The engine of a schedule was judged with the schedule.
      {
        name: 'TRUSTED_USERS',
        value: TRUSTED.map((name) => `system:serviceaccount:${namespace}:${name}`).join(','),
      },
    ],
    port: { name: 'https', containerPort: PORT },
    resources: { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '256Mi' } },
  });
}
