import { objectKey, type Secret, type ServiceAccount } from '../../../api/core.ts';
import { SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { isConflict } from '../../../kube/client/errors.ts';
import { type Controller, fromMapped } from '../../../kube/runtime/index.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import { placeOf } from '../shared/writer.ts';
import { accountOf, decideTokenSecret, encoded } from './decide-token-secret.ts';

/** Such tokens hold until their secret or their account goes: the longest time that a token can be asked for, 136 years. */
const FOREVER_SECONDS = 2 ** 32;

interface TokenRequest {
  readonly status: { readonly token: string };
}

/** Fills secrets of type `kubernetes.io/service-account-token`, and removes them with their account. */
export function tokenSecretController(context: ControllerContext): Controller {
  const { informers, writer, client, options } = context;
  const secrets = informers.view<Secret>(SECRETS);
  const accounts = informers.view<ServiceAccount>(SERVICE_ACCOUNTS);

  const issue = async ({ metadata }: Secret, account: string, signal: AbortSignal): Promise<string> => {
    const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${account}/token`;
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        expirationSeconds: FOREVER_SECONDS,
        boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: metadata.name, uid: metadata.uid },
      },
    };
    return (await client.raw<TokenRequest>('POST', path, request, { signal })).status.token;
  };

  return createController(context, {
    name: 'token-secret',
    sources: [
      fromMapped(secrets.informer, (secret) => (accountOf(secret) === undefined ? [] : [objectKey(secret)])),
      fromMapped(accounts.informer, ({ metadata }) =>
        secrets
          .byIndex(BY_NAMESPACE, metadata.namespace ?? '')
          .filter((secret) => accountOf(secret) === metadata.name)
          .map(objectKey),
      ),
    ],
    reconcile: async ({ key }, signal) => {
      const secret = secrets.get(key);
      if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return;
      const name = accountOf(secret);
      if (name === undefined) return;
      // A secret may be seen before the account that was made just before it: what would remove it is asked for afresh.
      const account =
        accounts.get(`${secret.metadata.namespace}/${name}`) ??
        (await client.find<ServiceAccount>(SERVICE_ACCOUNTS, name, { ...placeOf(secret), signal }));
      const step = decideTokenSecret(secret, account, options.certificateAuthority);
      if (step.kind === 'none') return;
      if (step.kind === 'remove') {
        await writer.delete<Secret>(SECRETS, secret, signal);
        return;
      }
      const data: Record<string, string> = { ...secret.data, ...step.data };
      if (step.needsToken) data.token = encoded(await issue(secret, name, signal));
      const filled: Secret = {
        ...secret,
        metadata: {
          ...secret.metadata,
          annotations: { ...secret.metadata.annotations, ...step.annotations },
        },
        data,
      };
      try {
        await writer.update<Secret>(SECRETS, filled, signal);
      } catch (error) {
        // The watch brings what it has become.
        if (!isConflict(error)) throw error;
      }
    },
  });
}
