import { describeHalt } from '../../api/halt.ts';
import { type ChaosEngine, CONDITION_RUNNABLE, findCondition, isOpen } from '../../api/index.ts';
import { describeLeft } from '../../api/recovery/index.ts';
import { wantsDryRun } from '../../api/run-record.ts';
import { type ClusterOptions, openExisting } from '../cluster.ts';
import { pulledLevers } from '../halt/lever.ts';
import { keyOf, observeChaos } from '../halt/observe-chaos.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Prints whether chaos is halted, what each engine does, and what is in force. */
export async function run(options: ClusterOptions): Promise<number> {
  const scope = options.namespace;
  const session = await openExisting(await withDetachedCluster(options));
  try {
    const { client } = session;
    const [levers, chaos] = await Promise.all([pulledLevers(client, scope), observeChaos(client, scope)]);
    for (const halt of levers) console.log(describeHalt(halt));
    if (levers.length === 0) console.log('chaos is not halted');
    for (const line of chaos.engines.flatMap(engineLines)) console.log(line);
    const open = chaos.results.flatMap(({ status }) => Object.values(status?.ledger ?? {}).filter(isOpen));
    for (const entry of open) console.log(`in force: ${describeLeft(entry)}`);
    console.log(`${chaos.engines.length} engine(s), ${open.length} injection(s) in force`);
    return 0;
  } finally {
    await session.close();
  }
}

/** How an engine stands and what keeps it or one of its experiments, if anything does. Pure. */
export function engineLines(engine: ChaosEngine): string[] {
  const { status } = engine;
  const problem = findCondition(status?.conditions, CONDITION_RUNNABLE);
  const why = problem?.status === 'False' ? ` (${problem.reason}: ${problem.message})` : '';
  const dry = wantsDryRun(engine) ? ', dry run' : '';
  return [
    `engine ${keyOf(engine)}: ${status?.engineStatus || 'waiting'}${dry}${why}`,
    ...(status?.experiments ?? [])
      .filter(({ reason }) => reason !== undefined && reason !== '')
      .map(({ name, status: word, verdict, reason }) => `  ${name}: ${word}, ${verdict} (${reason})`),
  ];
}
