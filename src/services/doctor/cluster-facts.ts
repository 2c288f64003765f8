import { isAccessAllowed } from '@turnsole/kube/client/access-review';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient, KubeList } from '@turnsole/kube/client/types';
import type { KubeObject, Namespace } from '@turnsole/kube/kinds/core';
import { type ApiResourceList, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, CHAOS_RESULTS } from '../../api/index.ts';
import { installedOperator } from '../plan/installed-operator.ts';
import { localNodeOf } from '../plan/obstacles.ts';
import type { ClusterFacts } from './diagnose.ts';

/** What a user does who runs experiments. */
const DONE = [
  { verb: 'create', resource: 'chaosengines' },
  { verb: 'patch', resource: 'chaosengines' },
  { verb: 'list', resource: 'chaosresults' },
  { verb: 'get', resource: 'chaosexperiments' },
] as const;

/** Looks at a cluster; it writes nothing. What may not be read counts as not there. @throws ApiError, ConnectionError when it does not answer */
export async function clusterFacts(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<ClusterFacts> {
  const { gitVersion = 'unknown version' } = await client.raw<{ readonly gitVersion?: string }>(
    'GET',
    '/version',
    undefined,
    { signal },
  );
  const group = `/apis/${CHAOS_ENGINES.group}/${CHAOS_ENGINES.version}`;
  const [served, operator, node, allowed, webhooks, place] = await Promise.all([
    read<ApiResourceList>(client, group, signal),
    installedOperator(client, namespace, signal),
    localNodeOf({ client, signal }),
    Promise.all(
      DONE.map(({ verb, resource }) =>
        isAccessAllowed(client, undefined, { namespace, group: CHAOS_ENGINES.group, resource, verb }, signal),
      ),
    ),
    webhooksOfPods(client, signal),
    client.find<Namespace>(NAMESPACES, namespace, { signal }).catch(notReadable),
  ]);
  const names = (served?.resources ?? []).map(({ kind }) => kind);
  const podSecurity = place?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
  return {
    version: gitVersion,
    namespace,
    missingKinds: [CHAOS_ENGINES, CHAOS_EXPERIMENTS, CHAOS_RESULTS]
      .map(({ kind }) => kind)
      .filter((kind) => !names.includes(kind)),
    hasOperator: operator.isRunning,
    isEmbedded: node !== undefined,
    forbidden: DONE.filter((_, index) => allowed[index] === false).map(
      ({ verb, resource }) => `${verb} ${resource}`,
    ),
    admission: webhooks,
    ...(podSecurity !== undefined && { podSecurity }),
  };
}

/** A configuration of webhooks, as far as it is looked at. */
interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly rules?: readonly { readonly resources?: readonly string[] }[];
  }[];
}

async function webhooksOfPods(client: KubeClient, signal: AbortSignal): Promise<string[]> {
  const kinds = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'];
  const lists = await Promise.all(
    kinds.map((kind) =>
      read<KubeList<WebhookConfiguration>>(client, `/apis/admissionregistration.k8s.io/v1/${kind}`, signal),
    ),
  );
  const looksAtPods = ({ webhooks = [] }: WebhookConfiguration): boolean =>
    webhooks.some(({ rules = [] }) =>
      rules.some(({ resources = [] }) => resources.some((one) => ['pods', '*', '*/*'].includes(one))),
    );
  const found = lists.flatMap((list) => (list?.items ?? []).filter(looksAtPods));
  return [...new Set(found.map(({ metadata }) => metadata.name))];
}

async function read<T>(client: KubeClient, path: string, signal: AbortSignal): Promise<T | undefined> {
  return client.raw<T>('GET', path, undefined, { signal }).catch(notReadable);
}

function notReadable(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}
