import { isForbidden, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Container, Deployment, ObjectMeta, PodSpec } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { CommandError } from '../errors.ts';
import { LABEL_INSTALLATION } from './names.ts';
import type { InstallSettings } from './settings.ts';

/** Another operator of chaos engines in the cluster. */
interface OtherOperator {
  /** `namespace/name` of its Deployment. */
  readonly deployment: string;
  /** The only namespace it works in; undefined means all. */
  readonly watchNamespace: string | undefined;
}

/**
 * Refuses to bring an operator where another one would act on the same engines. What may not be listed is not known.
 *
 * @param advice what the user can do, as the end of the message
 * @throws CommandError (could not run) that names the other operators
 */
export async function refuseOtherOperators(
  client: KubeClient,
  settings: Pick<InstallSettings, 'namespace' | 'watchNamespace'>,
  advice: string,
  signal: AbortSignal,
): Promise<void> {
  const seen = await unless(isForbidden, client.list<Deployment>(DEPLOYMENTS, { signal }));
  const others = (seen?.items ?? []).flatMap((deployment) => otherOperator(deployment, settings) ?? []);
  if (others.length === 0) return;
  const names = others.map(({ deployment }) => deployment).join(', ');
  const message = `another operator acts on the same engines: ${names}; each engine would run twice. ${advice}`;
  throw new CommandError(message, 'ANOTHER_OPERATOR');
}

/**
 * The container that is an operator of chaos engines, upstream's or an installed one. Pure.
 *
 * @param metadata of the Deployment or the pod
 */
export function operatorContainer({ labels }: ObjectMeta, pod: PodSpec | undefined): Container | undefined {
  return pod?.containers.find(
    ({ image = '', args = [] }) =>
      /(?:^|\/)chaos-operator(?:[:@]|$)/.test(image) ||
      (labels?.[LABEL_INSTALLATION] !== undefined && args[0] === 'operator'),
  );
}

/** The only namespace that an operator's container works in, as its environment says; undefined for all, and for one not known here. Pure. */
export function watchedNamespace({ env = [] }: Container, ownNamespace: string): string | undefined {
  const { value, valueFrom } = env.find(({ name }) => name === 'WATCH_NAMESPACE') ?? {};
  if (valueFrom?.fieldRef?.fieldPath === 'metadata.namespace') return ownNamespace;
  return value?.trim() || undefined;
}

/** The Deployment as an operator that would act on the same engines; undefined when it is none. Pure. */
export function otherOperator(
  { metadata, spec }: Deployment,
  settings: Pick<InstallSettings, 'namespace' | 'watchNamespace'>,
): OtherOperator | undefined {
  if (metadata.labels?.[LABEL_INSTALLATION] === settings.namespace || spec?.replicas === 0) return undefined;
  const operator = operatorContainer(metadata, spec?.template.spec);
  if (operator === undefined) return undefined;
  const watched = watchedNamespace(operator, metadata.namespace ?? '');
  const { watchNamespace } = settings;
  const overlaps = watched === undefined || watchNamespace === undefined || watched === watchNamespace;
  if (!overlaps) return undefined;
  return { deployment: `${metadata.namespace}/${metadata.name}`, watchNamespace: watched };
}
