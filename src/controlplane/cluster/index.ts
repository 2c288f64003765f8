import { parseTime } from '@turnsole/kube/text/time';
import { HALT_NAMESPACE, type Halt } from '../../chaos/halt.ts';
import { pulledLevers, pullLever, releaseLever } from '../../services/halt/lever.ts';
import { audit } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { timeText } from '../access/lists.ts';
import type { Noun } from '../access/noun.ts';
import { Refusal } from '../access/refusal.ts';
import type { ClusterHalt, ClusterTerminal } from '../schema/generated/types.ts';
import { ACCOUNTS } from '../store/store.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { listObjects, watchObjects } from './watch-objects.ts';

/**
 * The chaos of the cluster that the server itself watches, as with `turnsole ui`. A server that watches none refuses these operations.
 */
export function clusterNoun(observed: ObservedCluster | undefined, terminal?: ClusterTerminal): Noun {
  const cluster = (): ObservedCluster => {
    if (observed !== undefined) return observed;
    throw new Refusal(
      'not-found',
      'this server looks at no cluster of its own; open the project that its infrastructure belongs to',
    );
  };
  return {
    queries: {
      listClusterObjects: (selection, { signal }) => listObjects(cluster(), selection, signal),
      clusterHalts: async () => (await pulledLevers(cluster().client, undefined)).map(asHalt),
      clusterTerminal: () => {
        cluster();
        return terminal ?? null;
      },
    },
    mutations: {
      haltCluster: async ({ namespace, reason }, context) => {
        const { clock } = context.plane;
        const halt = asHalt(await pullLever(cluster().client, namespace ?? undefined, reason, clock.now()));
        await auditAlone(context, { kind: 'halt', id: namespace ?? ALL_NAMESPACES, after: { reason } });
        return halt;
      },
      resumeCluster: async ({ namespace }, context) => {
        const wasHalted = await releaseLever(cluster().client, namespace ?? undefined);
        await auditAlone(context, { kind: 'halt', id: namespace ?? ALL_NAMESPACES });
        return wasHalted;
      },
    },
    subscriptions: {
      watchClusterObjects: (selection: Parameters<typeof watchObjects>[1], { signal }) =>
        watchObjects(cluster(), selection, signal),
    },
  };
}

function asHalt({ namespace, reason, by, since }: Halt): ClusterHalt {
  const at = parseTime(since);
  return {
    namespace: namespace === HALT_NAMESPACE ? '' : namespace,
    reason,
    by,
    since: at === undefined ? null : timeText(at),
  };
}

/** What the lever of the whole cluster is called in the audit log. */
const ALL_NAMESPACES = 'all namespaces';

/** A line of the audit log for a change in the cluster, which this server does not store. */
async function auditAlone(context: Context, change: Parameters<typeof audit>[2]): Promise<void> {
  await context.transaction(ACCOUNTS, (tx) => audit(tx, context, change));
}
