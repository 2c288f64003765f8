import type { Secret, ServiceAccount } from '@turnsole/kube/kinds/core';

/** Type of secrets that hold a token of a service account. */
const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
/** Annotations of such a secret: whose token it is. */
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** The action for a token secret. */
export type TokenSecretStep =
  | { readonly kind: 'none' }
  /** Its account does not exist, or was replaced by a new account of that name: the token would belong to no account. */
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'fill';
      readonly data: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
      /** Whether a token is to be issued, to go with the data. */
      readonly needsToken: boolean;
    };

/** The account that a secret is to hold a token of; undefined for other secrets. Pure. */
export function accountOf({ type, metadata }: Secret): string | undefined {
  return type === TOKEN_SECRET_TYPE ? metadata.annotations?.[ACCOUNT_NAME] : undefined;
}

/**
 * Gives the next step for a token secret, as Kubernetes' token controller takes it; pure. What is there stays, but for a certificate
 * authority that is not the cluster's.
 */
export function decideTokenSecret(
  { data = {}, metadata }: Secret,
  account: ServiceAccount | undefined,
  authority: string | undefined,
): TokenSecretStep {
  const { annotations = {}, namespace = '' } = metadata;
  const uid = account?.metadata.uid;
  const wanted = annotations[ACCOUNT_UID] ?? '';
  if (uid === undefined || (wanted !== '' && wanted !== uid)) return { kind: 'remove' };
  const added: Record<string, string> = {};
  if (authority !== undefined && data['ca.crt'] !== encoded(authority)) added['ca.crt'] = encoded(authority);
  if ((data.namespace ?? '') === '') added.namespace = encoded(namespace);
  const needsToken = (data.token ?? '') === '';
  if (!needsToken && wanted === uid && Object.keys(added).length === 0) return { kind: 'none' };
  return { kind: 'fill', data: added, annotations: { [ACCOUNT_UID]: uid }, needsToken };
}

/** A text as the data of a secret has it. */
export function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
