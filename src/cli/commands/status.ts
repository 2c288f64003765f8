import { verdictOfEngine } from '../../api/engine-verdict.ts';
import { describeHalt } from '../../api/halt.ts';
import { type ChaosEngine, CONDITION_RUNNABLE, findCondition, isOpen } from '../../api/index.ts';
import { describeLeft } from '../../api/recovery/index.ts';
import { wantsDryRun } from '../../api/run-record.ts';
import { type ClusterOptions, openExisting } from '../cluster.ts';
import { pulledLevers } from '../halt/lever.ts';
import { type Chaos, keyOf, observeChaos } from '../halt/observe-chaos.ts';
import { readableError } from '../report/readable-error.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole status`. */
export interface StatusOptions extends ClusterOptions {
  readonly output: 'text' | 'json';
}

/** Prints whether chaos is halted, what each engine does, and what is in force. */
export async function run(options: StatusOptions): Promise<number> {
  const scope = options.namespace;
  const session = await openExisting(await withDetachedCluster(options));
  try {
    const { client } = session;
    const [levers, chaos] = await Promise.all([pulledLevers(client, scope), observeChaos(client, scope)]);
    if (options.output === 'json') {
      console.log(JSON.stringify(statusDocument(levers, chaos), null, 2));
      return 0;
    }
    for (const halt of levers) console.log(describeHalt(halt));
    if (levers.length === 0) console.log('chaos is not halted');
    for (const line of chaos.engines.flatMap(engineLines)) console.log(line);
    const open = openEntries(chaos.results);
    for (const entry of open) console.log(`in force: ${describeLeft(entry)}`);
    console.log(`${chaos.engines.length} engine(s), ${open.length} injection(s) in force`);
    return 0;
  } finally {
    await session.close();
  }
}

/** How an engine stands, all its verdicts, and what keeps it or one of its experiments, if anything does. Pure. */
export function engineLines(engine: ChaosEngine): string[] {
  const { status } = engine;
  const problem = findCondition(status?.conditions, CONDITION_RUNNABLE);
  const why = problem?.status === 'False' ? ` (${problem.reason}: ${problem.message})` : '';
  const dry = wantsDryRun(engine) ? ', dry run' : '';
  const verdict = verdictOfEngine(status?.experiments);
  return [
    `engine ${keyOf(engine)}: ${status?.engineStatus || 'waiting'}${dry}${verdict === undefined ? '' : `, ${verdict}`}${why}`,
    ...(status?.experiments ?? []).map(
      ({ name, iteration, status: word, verdict: own, reason }) =>
        `  ${name}${iteration === undefined ? '' : ` (${iteration})`}: ${word}, ${own}${reason ? ` (${readableError(undefined, reason)})` : ''}`,
    ),
  ];
}

/** The same for programs. Pure. */
export function statusDocument(levers: readonly HaltedScope[], { engines, results }: Chaos) {
  return {
    halted: levers.map(describeHalt),
    engines: engines.map((engine) => ({
      namespace: engine.metadata.namespace ?? '',
      name: engine.metadata.name,
      status: engine.status?.engineStatus || 'waiting',
      dryRun: wantsDryRun(engine),
      verdict: verdictOfEngine(engine.status?.experiments),
      experiments: (engine.status?.experiments ?? []).map(({ name, iteration, status, verdict, reason }) => ({
        name,
        iteration,
        status,
        verdict,
        reason,
      })),
    })),
    inForce: openEntries(results).map(describeLeft),
  };
}

type HaltedScope = Parameters<typeof describeHalt>[0];

function openEntries(results: Chaos['results']) {
  return results.flatMap(({ status }) => Object.values(status?.ledger ?? {}).filter(isOpen));
}
