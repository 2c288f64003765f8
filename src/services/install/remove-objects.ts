import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  INGRESSES,
  LEASES,
  NAMESPACES,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { controllerLease } from '@turnsole/workflows/kinds/controller-names';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { CHAOS_EXPERIMENTS, OPERATOR_LEASE } from '../../api/index.ts';
import { ANNOTATION_BUILT_IN } from '../../api/labels.ts';
import { WORKFLOW_DEFINITIONS } from '../../api/workflow-definitions.ts';
import { HALT_NAME } from '../../chaos/halt.ts';
import { endPods } from '../end-pods.ts';
import { applyRank } from '../kind-order.ts';
import { deleteOne, listOrNone } from '../objects.ts';
import { describe } from './apply-object.ts';
import {
  CONTROL_PLANE_KEY_SECRET,
  CONTROL_PLANE_NAME,
  isOwnDefinition,
  LABEL_COMPONENT,
  LABEL_INSTALLATION,
  WORKFLOW_CONTROLLER_NAME,
} from './names.ts';
import { controllerContainer, foundController } from './other-controllers.ts';

// Kinds of Prometheus' operator that an installation has objects of.
const SERVICE_MONITORS: Resource = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  plural: 'servicemonitors',
  kind: 'ServiceMonitor',
  namespaced: true,
};

const PROMETHEUS_RULES: Resource = {
  ...SERVICE_MONITORS,
  plural: 'prometheusrules',
  kind: 'PrometheusRule',
};

/** What {@link removeObjects} works with. */
interface RemoveObjectsInput {
  readonly client: KubeClient;
  /** Namespace of the installation. */
  readonly namespace: string;
  /** Labels of the components whose objects are removed. @default all of the installation */
  readonly components?: readonly string[];
  /** Keeps what the control plane has stored, and the key that opens it. */
  readonly keepData: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Kinds of which an installation has objects; older clusters have the disruption budget under another version. */
const KINDS: readonly Resource[] = [
  VALIDATING_WEBHOOK_CONFIGURATIONS,
  DEPLOYMENTS,
  SERVICES,
  INGRESSES,
  POD_DISRUPTION_BUDGETS,
  { ...POD_DISRUPTION_BUDGETS, version: 'v1beta1' },
  SERVICE_MONITORS,
  PROMETHEUS_RULES,
  CHAOS_EXPERIMENTS,
  ROLE_BINDINGS,
  CLUSTER_ROLE_BINDINGS,
  ROLES,
  CLUSTER_ROLES,
  SERVICE_ACCOUNTS,
  SECRETS,
  CONFIG_MAPS,
  PERSISTENT_VOLUME_CLAIMS,
].toSorted((a, b) => applyRank(b.kind) - applyRank(a.kind));

/** Removes everything that carries the label of the installation, or that of its components, but for namespaces; the components' pods are gone then. */
export async function removeObjects(input: RemoveObjectsInput): Promise<void> {
  const { client, namespace, components, keepData, timeoutMs, signal, say } = input;
  const ofThese = components === undefined ? '' : `,${LABEL_COMPONENT} in (${components.join(',')})`;
  const labelSelector = `${LABEL_INSTALLATION}=${namespace}${ofThese}`;
  const leases = components === undefined ? [OPERATOR_LEASE] : [];
  for (const resource of KINDS) {
    for (const object of await listOrNone<KubeObject>(client, resource, { labelSelector, signal })) {
      if (keepData && isData(resource, object)) {
        say(
          `${describe({ kind: resource.kind, metadata: object.metadata })} kept: turnsole uninstall --delete-data removes it`,
        );
        continue;
      }
      if (resource === DEPLOYMENTS) leases.push(...controllerLeases(object as Deployment));
      await deleteOne(client, resource, object, signal);
      say(`${describe({ kind: resource.kind, metadata: object.metadata })} deleted`);
    }
    if (resource === DEPLOYMENTS) {
      await endPods(client, { namespace, labelSelector, timeoutMs, signal });
    }
  }
  // Not applied but made by the components, so they have no label.
  for (const name of leases) await deleteOne(client, LEASES, { metadata: { name, namespace } }, signal);
}

/** The control plane's database, and the key without which its secrets stay shut. */
function isData({ kind }: Resource, { metadata }: KubeObject): boolean {
  if (kind === PERSISTENT_VOLUME_CLAIMS.kind) return metadata.name === CONTROL_PLANE_NAME;
  return kind === SECRETS.kind && metadata.name === CONTROL_PLANE_KEY_SECRET;
}

/** The lease by which an installed workflow controller leads. */
function controllerLeases(deployment: Deployment): string[] {
  if (deployment.metadata.name !== WORKFLOW_CONTROLLER_NAME) return [];
  const container = controllerContainer(deployment);
  return container === undefined
    ? []
    : [controllerLease(foundController(deployment, container, undefined).instanceId)];
}

/** Removes the levers of `turnsole halt`, which would hold up the chaos of a later installation. */
export async function removeLevers({ client, signal, say }: RemoveObjectsInput): Promise<void> {
  const fieldSelector = `metadata.name=${HALT_NAME}`;
  const { items } = await client.list<ConfigMap>(CONFIG_MAPS, { fieldSelector, signal });
  for (const lever of items) {
    await deleteOne(client, CONFIG_MAPS, lever, signal);
    say(`${describe({ kind: CONFIG_MAPS.kind, metadata: lever.metadata })} deleted`);
  }
}

/**
 * Removes the definitions that install has made, with all objects of their kinds, and waits until they are gone. Definitions that an embedded
 * cluster has from its start stay, without objects: nothing could run on it without them.
 */
export async function removeDefinitions({
  client,
  timeoutMs,
  signal,
  say,
}: RemoveObjectsInput): Promise<void> {
  const chaos = CUSTOM_RESOURCES.map(({ definition }) => definition.metadata.name);
  let isBuiltIn = false;
  for (const name of [...chaos, ...WORKFLOW_DEFINITIONS.map(({ metadata }) => metadata.name)]) {
    const found = await client.find<Definition>(CUSTOM_RESOURCE_DEFINITIONS, name, { signal });
    if (found === undefined || (!chaos.includes(name) && !isOwnDefinition(found))) continue;
    if (found.metadata.annotations?.[ANNOTATION_BUILT_IN] === 'true') {
      isBuiltIn = true;
      const resource = resourceOf(found);
      for (const object of await listOrNone<KubeObject>(client, resource, { signal }))
        await deleteOne(client, resource, object, signal);
      continue;
    }
    await deleteOne(client, CUSTOM_RESOURCE_DEFINITIONS, { metadata: { name } }, signal);
    const isGone = (object: KubeObject | undefined): boolean => object === undefined;
    await waitForObject(client, CUSTOM_RESOURCE_DEFINITIONS, name, isGone, { timeoutMs, signal });
    say(`CustomResourceDefinition ${name} deleted`);
  }
  if (isBuiltIn)
    say('the definitions of the chaos kinds stay: this embedded cluster has them from its start');
}

type Definition = KubeObject & CustomResourceDefinition;

function resourceOf({ spec: { group, scope, names, versions } }: Definition): Resource {
  const { name: version } = versions.find(({ storage }) => storage) ?? { name: '' };
  return { group, version, plural: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' };
}

/** Removes the namespaces that install has made, unless they hold other objects. */
export async function removeNamespaces(input: RemoveObjectsInput): Promise<void> {
  const { client, namespace, timeoutMs, signal, say } = input;
  const labelSelector = `${LABEL_INSTALLATION}=${namespace}`;
  for (const object of await listOrNone<KubeObject>(client, NAMESPACES, { labelSelector, signal })) {
    const { name } = object.metadata;
    const held = await contentOf(client, name, signal);
    if (held.length > 0) {
      say(
        `Namespace ${name} kept: it has ${held.slice(0, 3).join(', ')}${held.length > 3 ? ' and others' : ''}`,
      );
      continue;
    }
    await deleteOne(client, NAMESPACES, object, signal);
    const isGone = (found: KubeObject | undefined): boolean => found === undefined;
    await waitForObject(client, NAMESPACES, name, isGone, { timeoutMs, signal });
    say(`Namespace ${name} deleted`);
  }
}

/** Kinds that people put into a namespace; objects that Kubernetes itself puts there are recognised by name or type. */
const CONTENT: readonly Resource[] = [
  PODS,
  DEPLOYMENTS,
  SERVICES,
  CONFIG_MAPS,
  SECRETS,
  PERSISTENT_VOLUME_CLAIMS,
];

async function contentOf(client: KubeClient, namespace: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for (const { kind, ...resource } of CONTENT) {
    const objects = await listOrNone<KubeObject & { readonly type?: string }>(
      client,
      { kind, ...resource },
      { namespace, signal },
    );
    for (const { metadata, type } of objects) {
      const isSystems =
        metadata.name === 'kube-root-ca.crt' || type === 'kubernetes.io/service-account-token';
      if (!isSystems) found.push(`${kind} ${metadata.name}`);
    }
  }
  return found;
}
