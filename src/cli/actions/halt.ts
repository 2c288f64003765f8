import { systemClock } from '@turnsole/kube/base/clock';
import { asOneLine } from '@turnsole/kube/text/visible';
import { describeHalt } from '../../chaos/halt.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { type ClusterOptions, onExisting } from '../../runs/session/open-cluster.ts';
import { pullLever } from '../../services/halt/lever.ts';
import { stopChaos } from '../../services/halt/stop-chaos.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole halt`, as the command line gives them. */
export interface HaltOptions extends ClusterOptions {
  readonly reason: string;
  readonly all?: boolean;
  readonly timeout: number;
}

/** Pulls the safety lever, stops and reverts everything. Exit code 0 only if nothing is left, 1 otherwise. */
export async function run(options: HaltOptions): Promise<number> {
  const scope = options.all === true ? undefined : options.namespace;
  return onExisting(await withDetachedCluster(options), async ({ client }) => {
    const halt = await pullLever(client, scope, options.reason, systemClock.now());
    console.log(asOneLine(describeHalt(halt)));
    const { signal } = new AbortController();
    const say = (line: string): void => console.log(line);
    const left = await stopChaos({
      client,
      clock: systemClock,
      scope,
      timeoutMs: options.timeout,
      signal,
      say,
    });
    if (left.length === 0) {
      console.log('nothing is in force any more');
      return 0;
    }
    console.error(
      `not everything could be reverted in time; left:\n${left.map((one) => `  ${one}`).join('\n')}`,
    );
    return EXIT.fail;
  });
}
