import {
  type AccessAttributes,
  type AccessSubject,
  isAccessAllowed,
  serviceAccountSubject,
} from '@turnsole/kube/client/access-review';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { PermissionSource } from '../../api/index.ts';

/** Answers what a service account may do. */
export interface AccessAsker {
  readonly source: PermissionSource;
  /** Undefined when the cluster would not say. */
  isAllowed(attributes: AccessAttributes, signal: AbortSignal): Promise<boolean | undefined>;
  /** Acts as the account, until it is closed; absent where no token of it could be had. */
  readonly client?: KubeClient;
  close(): void;
}

/** A service account by name. */
interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** Gives a client that acts with a token instead of the own credentials; its user closes it. */
export type ConnectWithToken = (token: string) => KubeClient;

/** Long enough for a plan; ten minutes are the least that servers give. */
const TOKEN_SECONDS = 600;

/**
 * An asker for a service account: as the account itself, with a token of it (TokenRequest) where that may be had, so that the
 * answer is that of the cluster's own authorizers to that very user; else by asking about it (SubjectAccessReview).
 */
export async function askAbout(
  client: KubeClient,
  account: Account,
  connect: ConnectWithToken | undefined,
  signal: AbortSignal,
): Promise<AccessAsker> {
  const token = connect === undefined ? undefined : await requestToken(client, account, signal);
  if (token === undefined || connect === undefined) {
    return byReview(client, serviceAccountSubject(account), 'subject-access-review');
  }
  const own = connect(token);
  return { ...askSelf(own), client: own, close: () => own.close() };
}

/** An asker for the account that the client itself acts as. */
export function askSelf(client: KubeClient): AccessAsker {
  return byReview(client, undefined, 'self-subject-access-review');
}

function byReview(
  client: KubeClient,
  subject: AccessSubject | undefined,
  source: PermissionSource,
): AccessAsker {
  return {
    source,
    isAllowed: (attributes, signal) => answerOf(isAccessAllowed(client, subject, attributes, signal), signal),
    close: () => {},
  };
}

/** Not served, or not allowed to ask: a plan says what it knows. */
async function answerOf<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** A token of the account; undefined when the account does not exist or tokens may not be requested. */
async function requestToken(
  client: KubeClient,
  { namespace, name }: Account,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}/token`;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const asked = client.raw<{ readonly status?: { readonly token?: string } }>('POST', path, body, { signal });
  return (await answerOf(asked, signal))?.status?.token;
}
