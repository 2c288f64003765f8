import { CHAOS_ENGINES, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import { type ClusterOptions, openExisting } from '../cluster.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { formatTimeline, mergeTimeline } from '../report/timeline.ts';
import { resultsOf } from '../run/results.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole timeline`, as the command line gives them. */
export interface TimelineOptions extends ClusterOptions {
  readonly allRuns?: boolean;
  readonly output: 'text' | 'json';
}

/** Prints the timeline of an engine; its results keep their part of it when the engine itself is gone. */
export async function run(name: string, options: TimelineOptions): Promise<number> {
  const session = await openExisting(await withDetachedCluster(options));
  try {
    const { client, namespace } = session;
    const engine = await client.find<ChaosEngine>(CHAOS_ENGINES, name, { namespace });
    const results = await resultsOf(client, namespace, name);
    if (engine === undefined && results.length === 0) {
      const message = `neither a ChaosEngine ${namespace}/${name} nor results of one exist in this cluster`;
      throw new CommandError(message, EXIT.badInput);
    }
    const entries = mergeTimeline(
      engine,
      results,
      options.allRuns === true ? undefined : lastRunId(engine, results),
    );
    if (options.output === 'json') console.log(JSON.stringify(entries, null, 2));
    else for (const line of formatTimeline(entries, { absolute: true })) console.log(line);
    return 0;
  } finally {
    await session.close();
  }
}

/** Run id of the engine's present or last run; of the newest recorded step when the engine is gone. */
function lastRunId(engine: ChaosEngine | undefined, results: readonly ChaosResult[]): string | undefined {
  return engine?.status?.runId ?? mergeTimeline(undefined, results).at(-1)?.runId;
}
