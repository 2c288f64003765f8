import { describeHalt } from '../../api/halt.ts';
import { type ClusterOptions, openExisting } from '../cluster.ts';
import { pulledLevers, releaseLever } from '../halt/lever.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole resume`, as the command line gives them. */
export interface ResumeOptions extends ClusterOptions {
  readonly all?: boolean;
}

/** Releases the safety lever: engines that were made meanwhile begin; those that were stopped stay stopped. */
export async function run(options: ResumeOptions): Promise<number> {
  const scope = options.all === true ? undefined : options.namespace;
  const session = await openExisting(await withDetachedCluster(options));
  try {
    const where = scope === undefined ? 'in the cluster' : `in namespace ${scope}`;
    const released = await releaseLever(session.client, scope);
    console.log(released ? `chaos may run again ${where}` : `chaos was not halted ${where}`);
    for (const halt of await pulledLevers(session.client, scope)) console.log(describeHalt(halt));
    return 0;
  } finally {
    await session.close();
  }
}
