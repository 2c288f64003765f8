import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { BoundToken } from './volumes/payload.ts';

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** Asks the API server for a token of the pod's service account, bound to the pod (TokenRequest). */
export async function requestPodToken(
  client: Pick<KubeClient, 'raw'>,
  pod: Pod,
  audience: string | undefined,
  expirationSeconds: number,
): Promise<BoundToken> {
  const { name, namespace = '', uid } = pod.metadata;
  const account = pod.spec?.serviceAccountName ?? 'default';
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { status } = await client.raw<TokenRequest>('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      audiences: audience === undefined ? undefined : [audience],
      expirationSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  });
  return { token: status.token, expiresAtMs: Date.parse(status.expirationTimestamp) };
}
