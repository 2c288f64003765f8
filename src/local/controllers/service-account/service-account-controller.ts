import type { ConfigMap, Namespace, ServiceAccount } from '../../../api/core.ts';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { type Controller, fromMapped, fromObjects } from '../../../kube/runtime/index.ts';
import { type ControllerContext, isNamespaceGoing } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { placeOf } from '../shared/writer.ts';

const DEFAULT_ACCOUNT = 'default';
const ROOT_CA = 'kube-root-ca.crt';

/** Gives each namespace the service account `default` and the config map with the API server's certificate authority. */
export function serviceAccountController(context: ControllerContext): Controller {
  const { informers, writer, options } = context;
  const namespaces = informers.view<Namespace>(NAMESPACES);
  const accounts = informers.view<ServiceAccount>(SERVICE_ACCOUNTS);
  const configMaps = informers.view<ConfigMap>(CONFIG_MAPS);

  async function ensureAccount(namespace: string, signal: AbortSignal): Promise<void> {
    if (accounts.get(`${namespace}/${DEFAULT_ACCOUNT}`) !== undefined) return;
    const account = { metadata: { name: DEFAULT_ACCOUNT, namespace } };
    await unlessThere(writer.create<ServiceAccount>(SERVICE_ACCOUNTS, account, signal));
  }

  async function ensureRootCa(namespace: string, signal: AbortSignal): Promise<void> {
    const authority = options.certificateAuthority;
    if (authority === undefined) return;
    const data = { 'ca.crt': authority };
    const present = configMaps.get(`${namespace}/${ROOT_CA}`);
    if (present === undefined) {
      const metadata = {
        name: ROOT_CA,
        namespace,
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
        },
      };
      await unlessThere(writer.create<ConfigMap>(CONFIG_MAPS, { metadata, data }, signal));
    } else if (!equalJson(present.data, data)) {
      await writer.update<ConfigMap>(CONFIG_MAPS, { ...present, data }, signal);
    }
  }

  const named = (name: string) => (object: ServiceAccount | ConfigMap) =>
    object.metadata.name === name ? [placeOf(object).namespace ?? ''] : [];
  return createController(context, {
    name: 'service-account',
    sources: [
      fromObjects(namespaces.informer),
      fromMapped(accounts.informer, named(DEFAULT_ACCOUNT)),
      fromMapped(configMaps.informer, named(ROOT_CA)),
    ],
    reconcile: async ({ key }, signal) => {
      const namespace = namespaces.get(key);
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
      try {
        await Promise.all([ensureAccount(key, signal), ensureRootCa(key, signal)]);
      } catch (error) {
        if (!isNamespaceGoing(error)) throw error;
      }
    },
  });
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
