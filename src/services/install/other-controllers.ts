/** Other workflow controllers in a cluster, Argo's above all. */

import { isForbidden, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Container, Deployment, ObjectMeta, PodSpec } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { CONTROLLER_CONFIG_MAP } from '@turnsole/workflows/kinds/controller-names';
import { CONTROLLER_LABELS, LABEL_INSTALLATION } from './names.ts';
import type { InstallSettings } from './settings.ts';

/** A workflow controller that is there, and which workflows it runs. */
interface FoundController {
  /** `namespace/name` of the object that it was read from. */
  readonly deployment: string;
  /** The only namespace it works in; undefined means all. */
  readonly watchNamespace: string | undefined;
  /** Empty: it runs workflows without an instance id. */
  readonly instanceId: string;
}

/** Workflow controllers that would run the same workflows: then each step would run twice. What may not be listed is not known. */
export async function otherControllers(
  client: KubeClient,
  settings: InstallSettings,
  signal: AbortSignal,
): Promise<FoundController[]> {
  const found: FoundController[] = [];
  const seen = await unless(isForbidden, client.list<Deployment>(DEPLOYMENTS, { signal }));
  for (const deployment of seen?.items ?? []) {
    const container = controllerContainer(deployment);
    if (container === undefined || deployment.metadata.labels?.[LABEL_INSTALLATION] === settings.namespace) {
      continue;
    }
    const { namespace = '' } = deployment.metadata;
    const asked = client.find<ConfigMap>(CONFIG_MAPS, configurationName(container), { namespace, signal });
    const configuration = await unless(isForbidden, asked);
    const controller = foundController(deployment, container, configuration);
    if (runsTheSame(controller, settings)) found.push(controller);
  }
  return found;
}

/** The container of a Deployment that runs workflows; undefined where it has no pods. Pure. */
export function controllerContainer({ metadata, spec }: Deployment): Container | undefined {
  return spec?.replicas === 0 ? undefined : containerOfController(metadata, spec?.template.spec);
}

/**
 * The container that runs workflows: by its image, or by the label of such a Deployment and its pods. Pure.
 *
 * @param metadata of the Deployment or the pod
 */
export function containerOfController(
  { labels }: ObjectMeta,
  pod: PodSpec | undefined,
): Container | undefined {
  const containers = pod?.containers ?? [];
  const byImage = containers.find(({ image = '' }) => /(?:^|\/)workflow-controller(?:[:@]|$)/.test(image));
  const isLabelled = labels?.app === CONTROLLER_LABELS.app;
  return byImage ?? (isLabelled ? containers[0] : undefined);
}

/** Name of the ConfigMap that configures a controller. Pure. */
export function configurationName(container: Container): string {
  return flagOf(container, 'configmap') ?? CONTROLLER_CONFIG_MAP;
}

/** Reads a controller from its Deployment or pod, and its ConfigMap, if it has one. Pure. */
export function foundController(
  { metadata }: Pick<Deployment, 'metadata'>,
  container: Container,
  configuration: ConfigMap | undefined,
): FoundController {
  const { name, namespace = '' } = metadata;
  const managed = flagOf(container, 'managed-namespace');
  const isNamespaced = managed !== undefined || flagOf(container, 'namespaced') !== undefined;
  const configuredNamespace = settingOf(configuration, 'namespace');
  return {
    deployment: `${namespace}/${name}`,
    watchNamespace: isNamespaced ? managed || configuredNamespace || namespace : configuredNamespace,
    instanceId: flagOf(container, 'instanceid') ?? settingOf(configuration, 'instanceID') ?? '',
  };
}

/** A text of the configuration: it has a key of its own, or stands among others below `config`. */
function settingOf(
  configuration: ConfigMap | undefined,
  key: 'instanceID' | 'namespace',
): string | undefined {
  const { [key]: own, config = '' } = configuration?.data ?? {};
  const inOne = new RegExp(`^${key}:[ \\t]*["']?([^"'\\s#]*)`, 'm').exec(config)?.[1];
  return own?.trim() || inOne || undefined;
}

/** The value of a flag in any of the forms that Go programs take; of a switch, the empty text. Pure. */
function flagOf({ command = [], args = [] }: Container, name: string): string | undefined {
  // A shell has them in one word.
  const words = [...command, ...args].flatMap((word) => word.trim().split(/\s+/));
  const index = words.findIndex(
    (word) => word.replace(/^--?/, '').split('=')[0] === name && word.startsWith('-'),
  );
  const word = words[index];
  if (word === undefined) return undefined;
  if (word.includes('=')) {
    const value = word.slice(word.indexOf('=') + 1);
    return value === 'false' ? undefined : value.replace(/^true$/, '');
  }
  const next = words[index + 1];
  return next === undefined || next.startsWith('-') ? '' : next;
}

/** Whether it would take workflows of the controller that these settings install. Pure. */
export function runsTheSame(
  { watchNamespace, instanceId }: FoundController,
  settings: Pick<InstallSettings, 'watchNamespace' | 'instanceId'>,
): boolean {
  const own = settings.watchNamespace;
  const overlaps = watchNamespace === undefined || own === undefined || watchNamespace === own;
  return overlaps && instanceId === (settings.instanceId ?? '');
}

/** The message that something is left out, and what the user can do. Pure. */
export function leftOutController(found: readonly FoundController[]): string {
  const named = found.map(({ deployment, watchNamespace, instanceId }) => {
    const scope = watchNamespace === undefined ? 'all namespaces' : `namespace ${watchNamespace}`;
    const id = instanceId === '' ? 'without an instance id' : `with instance id ${instanceId}`;
    return `Deployment ${deployment} (workflows of ${scope}, ${id})`;
  });
  return (
    `The workflow controller is left out, because another one runs the same workflows: ${named.join(', ')}. ` +
    'Two would run each step twice. --instance-id tells the workflows of both apart; --workflows installs it in any case, ' +
    'and --no-workflows never.'
  );
}
