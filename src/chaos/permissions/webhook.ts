import type { PolicyRule } from '@turnsole/kube/kinds/core';

/** What the webhook may ask everywhere. */
export const WEBHOOK_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosexperiments'], verbs: ['get'] },
];

/** Its own configuration, in which it keeps the authority current. */
export function webhookConfigurationPermissions(configuration: string): PolicyRule[] {
  return [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      resourceNames: [configuration],
      verbs: ['get', 'patch'],
    },
  ];
}

/** Its own secret, with the certificate that replicas share. */
export function webhookSecretPermissions(secret: string): PolicyRule[] {
  return [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get', 'update'] }];
}
