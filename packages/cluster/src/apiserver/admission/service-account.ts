/**
 * Pods run as a service account of their namespace, whose token is mounted into each container.
 * Source: kubernetes.io, Managing Service Accounts, ServiceAccount admission controller.
 */
import type { Pod, ServiceAccount, Volume } from '@turnsole/kube/kinds/core';
import { randomSuffix } from '@turnsole/kube/text/generated-name';
import { forbidden } from '../http/status.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';

const TOKEN_MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour, and seven seconds that mark this as the default and not a user's choice. */
const TOKEN_SECONDS = 3607;
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export function admitServiceAccount(env: ServerParts, attempt: AdmissionAttempt): void {
  const { definition, operation, object, namespace, name, subresource } = attempt;
  if (definition.plural !== 'pods' || definition.group !== '' || subresource !== '') return;
  if (operation !== 'create' || object === undefined) return;
  // Decoded with the type of a Pod.
  const pod = object as unknown as Pod;
  const spec = pod.spec ?? { containers: [] };
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) return;
  if ((spec.serviceAccountName ?? '') === '') spec.serviceAccountName = 'default';
  const accountName = spec.serviceAccountName ?? 'default';
  spec.serviceAccount = accountName;
  const version = env.store.get('serviceaccounts', namespace, accountName);
  if (version === undefined) {
    const why = `error looking up service account ${namespace}/${accountName}: serviceaccount ${JSON.stringify(accountName)} not found`;
    throw forbidden(definition, name, why);
  }
  // Decoded with its type when it was written.
  const account = version.object as unknown as ServiceAccount;
  if (wantsToken(pod, account)) mountToken(pod, `kube-api-access-${randomSuffix(env.random)}`);
  if ((spec.imagePullSecrets?.length ?? 0) === 0 && (account.imagePullSecrets?.length ?? 0) > 0) {
    spec.imagePullSecrets = account.imagePullSecrets?.map((secret) => ({ ...secret })) ?? [];
  }
}

function wantsToken(pod: Pod, account: ServiceAccount): boolean {
  return pod.spec?.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

function mountToken(pod: Pod, fallbackName: string): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const existing = spec.volumes?.find((volume) => volume.name.startsWith('kube-api-access-'));
  const volumeName = existing?.name ?? fallbackName;
  let isMounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === TOKEN_MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name: volumeName, readOnly: true, mountPath: TOKEN_MOUNT_PATH }];
    isMounted = true;
  }
  if (isMounted && existing === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(volumeName)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}
