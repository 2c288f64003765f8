import { isRefused } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { PODS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';
import type { TargetEntry } from '../../injection/settings/parse-targets.ts';
import { WORKLOAD_KINDS, wantedPods } from './workload-kinds.ts';

/**
 * Why no pod will come to where none is: there is no workload that would make one, or it wants none. Undefined when one may come, also where
 * that cannot be known: the workloads may not be read.
 *
 * @param name one of the entry's; absent: its label is meant
 */
export async function whyNoneComes(
  client: KubeClient,
  { kind, namespace, selector }: TargetEntry,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { namespace, signal };
  try {
    if (kind === 'pod' && name !== undefined) return await whyNoSuchPod(client, name, options);
    const resource = WORKLOAD_KINDS.get(kind);
    if (resource === undefined) return undefined;
    if (name !== undefined) {
      const workload = await client.find<KubeObject>(resource, name, options);
      return workload === undefined
        ? `there is no ${kind} ${namespace}/${name}`
        : whyNoneOf(kind, namespace, [workload]);
    }
    const { items } = await client.list<KubeObject>(resource, options);
    const wanted = parseLabelSelector(selector ?? '');
    const makers = items.filter((workload) => matchesLabels(wanted, podLabels(workload)));
    if (makers.length > 0) return whyNoneOf(kind, namespace, makers);
    return `no ${kind} in namespace ${namespace} has pods with label ${selector ?? ''}`;
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** A workload whose number is not known may make one. */
function whyNoneOf(kind: string, namespace: string, makers: readonly KubeObject[]): string | undefined {
  if (makers.some((workload) => wantedPods(workload) !== 0)) return undefined;
  const names = makers.map(({ metadata }) => `${kind} ${namespace}/${metadata.name}`).join(', ');
  return `${names} ${makers.length === 1 ? 'wants' : 'want'} 0 pods`;
}

/** A pod of a stateful set comes back under its name. */
async function whyNoSuchPod(
  client: KubeClient,
  name: string,
  options: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if ((await client.find(PODS, name, options)) !== undefined) return undefined;
  const set = /^(.+)-\d+$/.exec(name)?.[1];
  const maker = set === undefined ? undefined : await client.find(STATEFUL_SETS, set, options);
  return maker === undefined ? `there is no pod ${options.namespace}/${name}` : undefined;
}

function podLabels(workload: KubeObject): Readonly<Record<string, string>> | undefined {
  const { spec } = workload as {
    spec?: { template?: { metadata?: { labels?: Readonly<Record<string, string>> } } };
  };
  return spec?.template?.metadata?.labels;
}
