import { isAlreadyExists, unless } from '@turnsole/kube/client/errors';
import { KindController } from '@turnsole/kube/controllers/controller';
import { isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import type { ConfigMap, Namespace, ServiceAccount } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { fromMapped, fromObjects } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import type { ClusterContext } from '../shared/cluster-context.ts';

const DEFAULT_ACCOUNT = 'default';
const ROOT_CA = 'kube-root-ca.crt';
const ABOUT_ROOT_CA =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Gives each namespace the service account `default` and the config map with the API server's certificate authority. */
export class ServiceAccountController extends KindController<Namespace, ClusterContext> {
  readonly name = 'service-account';
  readonly objects = this.context.informers.view<Namespace>(NAMESPACES);
  readonly #accounts = this.context.informers.view<ServiceAccount>(SERVICE_ACCOUNTS);
  readonly #configMaps = this.context.informers.view<ConfigMap>(CONFIG_MAPS);
  readonly sources = [
    fromObjects(this.objects.informer),
    fromMapped(this.#accounts.informer, namespaceIfNamed(DEFAULT_ACCOUNT)),
    fromMapped(this.#configMaps.informer, namespaceIfNamed(ROOT_CA)),
  ];

  /**
   * Furnishes all present namespaces. A pod needs the account, so the first one would be refused if this were left to the
   * controller's own time. The informers must have their first lists.
   */
  async furnishAll(signal: AbortSignal): Promise<void> {
    await Promise.all(this.objects.list().map((namespace) => this.step(namespace, signal)));
  }

  async step({ metadata }: Namespace, signal: AbortSignal): Promise<undefined> {
    if (metadata.deletionTimestamp !== undefined) return;
    const writes = [this.#ensureAccount(metadata.name, signal), this.#ensureRootCa(metadata.name, signal)];
    await unless(isNamespaceGoing, Promise.all(writes));
  }

  async #ensureAccount(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.#accounts.get(`${namespace}/${DEFAULT_ACCOUNT}`) !== undefined) return;
    const account = { metadata: { name: DEFAULT_ACCOUNT, namespace } };
    const { writer } = this.context;
    await unless(isAlreadyExists, writer.create<ServiceAccount>(SERVICE_ACCOUNTS, account, signal));
  }

  async #ensureRootCa(namespace: string, signal: AbortSignal): Promise<void> {
    const { writer, options } = this.context;
    if (options.certificateAuthority === undefined) return;
    const data = { 'ca.crt': options.certificateAuthority };
    const present = this.#configMaps.get(`${namespace}/${ROOT_CA}`);
    if (present === undefined) {
      const annotations = { 'kubernetes.io/description': ABOUT_ROOT_CA };
      const metadata = { name: ROOT_CA, namespace, annotations };
      await unless(isAlreadyExists, writer.create<ConfigMap>(CONFIG_MAPS, { metadata, data }, signal));
    } else if (!equivalentJson(present.data, data)) {
      await writer.update<ConfigMap>(CONFIG_MAPS, { ...present, data }, signal);
    }
  }
}

/** The namespace of an object that bears this name. */
function namespaceIfNamed(name: string): (object: ServiceAccount | ConfigMap) => string[] {
  return ({ metadata }) => (metadata.name === name ? [metadata.namespace ?? ''] : []);
}
