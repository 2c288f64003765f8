import { join } from 'node:path';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { steadyClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { LABEL_INSTANCE_ID } from '@turnsole/workflows/kinds/labels';
import { TRIED_BY_DEFAULT } from '../../api/probe-types/index.ts';
import type { LocalAgent } from '../../controlplane/server/local-infra.ts';
import type { AddressOf } from '../../experiment/probes/reachable.ts';
import { localNodeOf } from '../../services/plan/obstacles.ts';

/** Where experiments of the page run: the namespace that those of other people name as well. */
export const EXPERIMENTS_NAMESPACE = 'litmus';

/** What the agent of the page's cluster needs. */
interface LocalAgentOptions {
  /** The caller closes it. */
  readonly client: KubeClient;
  /** Address of the page's server. */
  readonly url: string;
  readonly agent: LocalAgent;
  /** Folder of the page's data. */
  readonly data: string;
  /** Its abort ends the agent, which delivers what it knows first. */
  readonly signal: AbortSignal;
}

/**
 * The agent of the page's cluster, in this process: it carries out what the page asks for, and reports runs, as the agent of any infrastructure does. It
 * may do what the user of the kubeconfig may, in every namespace.
 */
export async function runLocalAgent({ client, url, agent, data, signal }: LocalAgentOptions): Promise<void> {
  const [{ Subscriber }, { GivenKey }, { subscriberMetrics }, { DEFAULT_KINDS }] = await Promise.all([
    import('../../components/subscriber/start-subscriber.ts'),
    import('../../components/subscriber/access-key.ts'),
    import('../../components/subscriber/metrics.ts'),
    import('../../components/subscriber/commands/allowed.ts'),
  ]);
  const isEmbedded = (await localNodeOf({ client, signal })) !== undefined;
  if (isEmbedded) await prepare(client, agent, signal);
  const { infraID, accessKey, version } = agent;
  const subscriber = new Subscriber({
    ...{ client, clock: steadyClock, logger: silentLogger, metrics: subscriberMetrics() },
    key: new GivenKey(accessKey),
    // An embedded cluster has a controller for each instance; others have the one that was installed, which runs what names none.
    leftOutLabel: isEmbedded ? undefined : LABEL_INSTANCE_ID,
    addressOf: serviceAddresses(client, isEmbedded),
    settings: {
      address: { url: new URL('/query', url), skipTlsVerify: false, authorities: undefined },
      ...{ infraID, accessKey, version, namespace: EXPERIMENTS_NAMESPACE, isClusterScoped: true },
      allowed: {
        kinds: new Set(DEFAULT_KINDS),
        namespaces: new Set(['*']),
        ownNamespace: EXPERIMENTS_NAMESPACE,
      },
      // No commands: they are written for the pod of a run, and not for the machine of this user.
      allowedProbes: new Set(TRIED_BY_DEFAULT),
      ...{ components: [], startTime: 0, spoolFolder: join(data, 'events'), isSpoolChosen: true },
      ...{ spoolBytes: 64 * MIB, logBytes: MIB },
      ...{ leaderElect: false, metricsAddress: undefined, healthAddress: undefined },
    },
    planManifest: async (text, { namespace, ...options }) =>
      (await import('../../services/plan/plan-manifest.ts')).planManifest(text, { ...options, namespace }),
  });
  await subscriber.run(signal);
}

const MIB = 1024 * 1024;

/**
 * Makes the namespace of experiments and the accounts that they name in an embedded cluster, whose user expects that they run. Elsewhere the plan says
 * what is missing, and `turnsole connect` or an administrator makes it.
 */
async function prepare(client: KubeClient, { version }: LocalAgent, signal: AbortSignal): Promise<void> {
  const [{ experimentAccounts }, { sampleRights }, { applyObjects }] = await Promise.all([
    import('../../services/install/agent/turnsole-objects.ts'),
    import('../../services/install/agent/sample-rights.ts'),
    import('../../services/install/apply-objects.ts'),
  ]);
  const accounts = experimentAccounts(EXPERIMENTS_NAMESPACE, version);
  await applyObjects([...accounts, ...sampleRights(EXPERIMENTS_NAMESPACE)], {
    ...{ client, signal, kinds: new KindResolver(client) },
    onApplied: () => undefined,
  });
}

/** The namespace and the name of the Service that a host may mean: `web.shop`, `web.shop.svc`, `web.shop.svc.cluster.local`. Pure. */
export function serviceOfHost(
  host: string,
): { readonly name: string; readonly namespace: string } | undefined {
  const [, name, namespace] =
    /^([a-z0-9-]+)\.([a-z0-9-]+)(?:\.svc(?:\.cluster\.local)?)?\.?$/.exec(host) ?? [];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** Addresses of services from their objects: this machine knows no names of the cluster, and has the network of an embedded one only. */
function serviceAddresses(client: KubeClient, isReachable: boolean): AddressOf {
  return async (host) => {
    const meant = serviceOfHost(host);
    if (meant === undefined) return undefined;
    const { name, namespace } = meant;
    const address = (await client.find<Service>(SERVICES, name, { namespace }))?.spec?.clusterIP;
    if (address === undefined || address === 'None' || isReachable)
      return address === 'None' ? undefined : address;
    throw new Error(
      `${host} is a name of the cluster, which this machine is not in: the pods of a run can ask it`,
    );
  };
}
