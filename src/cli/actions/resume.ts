import { asOneLine } from '@turnsole/kube/text/visible';
import { describeHalt } from '../../chaos/halt.ts';
import { type ClusterOptions, onExisting } from '../../runs/session/open-cluster.ts';
import { pulledLevers, releaseLever } from '../../services/halt/lever.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole resume`, as the command line gives them. */
export interface ResumeOptions extends ClusterOptions {
  readonly all?: boolean;
}

/** Releases the safety lever: engines that were made meanwhile begin; those that were stopped stay stopped. */
export async function run(options: ResumeOptions): Promise<number> {
  const scope = options.all === true ? undefined : options.namespace;
  return onExisting(await withDetachedCluster(options), async ({ client }) => {
    const where = scope === undefined ? 'in the cluster' : `in namespace ${scope}`;
    const released = await releaseLever(client, scope);
    console.log(released ? `chaos may run again ${where}` : `chaos was not halted ${where}`);
    for (const halt of await pulledLevers(client, scope)) console.log(asOneLine(describeHalt(halt)));
    return 0;
  });
}
