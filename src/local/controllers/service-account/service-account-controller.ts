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
const ABOUT_ROOT_CA =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Gives each namespace the service account `default` and the config map with the API server's certificate authority. */
export function serviceAccountController(context: ControllerContext): Controller {
  const { informers } = context;
  const namespaces = informers.view<Namespace>(NAMESPACES);
  const accounts = informers.view<ServiceAccount>(SERVICE_ACCOUNTS);
  const configMaps = informers.view<ConfigMap>(CONFIG_MAPS);
  const named = (name: string) => (object: ServiceAccount | ConfigMap) =>
    object.metadata.name === name ? [placeOf(object).namespace ?? ''] : [];
  return createController(context, {
    name: 'service-account',
    sources: [
      fromObjects(namespaces.informer),
      fromMapped(accounts.informer, named(DEFAULT_ACCOUNT)),
      fromMapped(configMaps.informer, named(ROOT_CA)),
    ],
    reconcile: ({ key }, signal) => furnish(context, namespaces.get(key), signal),
  });
}

/**
 * Furnishes all present namespaces. A pod needs the account, so the first one would be refused if this were left to the
 * controller's own time. The informers must have their first lists.
 */
export async function furnishNamespaces(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const namespaces = context.informers.view<Namespace>(NAMESPACES).list();
  await Promise.all(namespaces.map((namespace) => furnish(context, namespace, signal)));
}

async function furnish(
  context: ControllerContext,
  namespace: Namespace | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
  const { name } = namespace.metadata;
  try {
    await Promise.all([ensureAccount(context, name, signal), ensureRootCa(context, name, signal)]);
  } catch (error) {
    if (!isNamespaceGoing(error)) throw error;
  }
}

async function ensureAccount(
  { informers, writer }: ControllerContext,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const accounts = informers.view<ServiceAccount>(SERVICE_ACCOUNTS);
  if (accounts.get(`${namespace}/${DEFAULT_ACCOUNT}`) !== undefined) return;
  const account = { metadata: { name: DEFAULT_ACCOUNT, namespace } };
  await unlessThere(writer.create<ServiceAccount>(SERVICE_ACCOUNTS, account, signal));
}

async function ensureRootCa(
  { informers, writer, options }: ControllerContext,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const authority = options.certificateAuthority;
  if (authority === undefined) return;
  const data = { 'ca.crt': authority };
  const present = informers.view<ConfigMap>(CONFIG_MAPS).get(`${namespace}/${ROOT_CA}`);
  if (present === undefined) {
    const metadata = {
      name: ROOT_CA,
      namespace,
      annotations: { 'kubernetes.io/description': ABOUT_ROOT_CA },
    };
    await unlessThere(writer.create<ConfigMap>(CONFIG_MAPS, { metadata, data }, signal));
  } else if (!equalJson(present.data, data)) {
    await writer.update<ConfigMap>(CONFIG_MAPS, { ...present, data }, signal);
  }
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
