import { isConflict, unless } from '@turnsole/kube/client/errors';
import { KindController } from '@turnsole/kube/controllers/controller';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import { placeOf } from '@turnsole/kube/controllers/writer';
import { objectKey, type Secret, type ServiceAccount } from '@turnsole/kube/kinds/core';
import { SECRETS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { fromMapped, fromObjects } from '@turnsole/kube/runtime/index';
import type { ClusterContext } from '../shared/cluster-context.ts';
import { accountOf, decideTokenSecret, encoded } from './decide-token-secret.ts';

/** Such tokens are valid until their secret or their account is deleted: the longest lifetime of a token, 136 years. */
const FOREVER_SECONDS = 2 ** 32;

interface TokenRequest {
  readonly status: { readonly token: string };
}

/** Fills secrets of type `kubernetes.io/service-account-token`, and removes them with their account. */
export class TokenSecretController extends KindController<Secret, ClusterContext> {
  readonly name = 'token-secret';
  readonly objects = this.context.informers.view<Secret>(SECRETS);
  readonly #accounts = this.context.informers.view<ServiceAccount>(SERVICE_ACCOUNTS);
  readonly sources = [
    fromObjects(this.objects.informer, (secret) => accountOf(secret) !== undefined),
    fromMapped(this.#accounts.informer, ({ metadata }) =>
      this.objects
        .byIndex(BY_NAMESPACE, metadata.namespace ?? '')
        .filter((secret) => accountOf(secret) === metadata.name)
        .map(objectKey),
    ),
  ];

  async step(secret: Secret, signal: AbortSignal): Promise<undefined> {
    const { client, options, writer } = this.context;
    const name = accountOf(secret);
    if (secret.metadata.deletionTimestamp !== undefined || name === undefined) return;
    // A secret may arrive before the account that was made just before it: reads afresh what would lead to its removal.
    const account =
      this.#accounts.get(`${secret.metadata.namespace}/${name}`) ??
      (await client.find<ServiceAccount>(SERVICE_ACCOUNTS, name, { ...placeOf(secret), signal }));
    const step = decideTokenSecret(secret, account, options.certificateAuthority);
    if (step.kind === 'none') return;
    if (step.kind === 'remove') {
      await writer.delete<Secret>(SECRETS, secret, signal);
      return;
    }
    const data: Record<string, string> = { ...secret.data, ...step.data };
    if (step.needsToken) data.token = encoded(await this.#issue(secret, name, signal));
    const annotations = { ...secret.metadata.annotations, ...step.annotations };
    const filled: Secret = { ...secret, metadata: { ...secret.metadata, annotations }, data };
    // The watch brings what it has become.
    await unless(isConflict, writer.update<Secret>(SECRETS, filled, signal));
  }

  async #issue({ metadata }: Secret, account: string, signal: AbortSignal): Promise<string> {
    const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${account}/token`;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: metadata.name, uid: metadata.uid };
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: FOREVER_SECONDS, boundObjectRef },
    };
    return (await this.context.client.raw<TokenRequest>('POST', path, request, { signal })).status.token;
  }
}
