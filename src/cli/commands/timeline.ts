import { writeFile } from 'node:fs/promises';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { type ClusterOptions, openExisting } from '../cluster.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { formatTimeline, mergeTimeline } from '../report/timeline.ts';
import type { RunRecord } from '../report/timeline-page/index.ts';
import { resultsOf } from '../run/results.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole timeline`, as the command line gives them. */
export interface TimelineOptions extends ClusterOptions {
  readonly allRuns?: boolean;
  readonly output: 'text' | 'json' | 'html';
  /** File to write to instead of standard output. */
  readonly file?: string;
}

/** Prints the timeline of an engine or of one of its results; results keep it when the engine itself is gone. */
export async function run(name: string, options: TimelineOptions): Promise<number> {
  const session = await openExisting(await withDetachedCluster(options));
  try {
    const found = await findRecord(session.client, session.namespace, name);
    const { engine, results } = found;
    const runId = options.allRuns === true ? undefined : lastRunId(engine, results);
    await print(await timelineText({ ...found, runId }, options.output), options.file);
    return 0;
  } finally {
    await session.close();
  }
}

/**
 * What there is of an engine of this name; else of the result of this name, with the steps of its engine.
 *
 * @throws CommandError (bad input) when there is neither
 */
async function findRecord(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<Omit<RunRecord, 'runId'>> {
  const engineOf = (engine: string): Promise<ChaosEngine | undefined> =>
    client.find<ChaosEngine>(CHAOS_ENGINES, engine, { namespace });
  const [engine, results] = await Promise.all([engineOf(name), resultsOf(client, namespace, name)]);
  if (engine !== undefined || results.length > 0) return { name, namespace, engine, results };
  const result = await client.find<ChaosResult>(CHAOS_RESULTS, name, { namespace });
  if (result === undefined) {
    const message = `neither a ChaosEngine ${namespace}/${name}, nor results of one, nor a ChaosResult of that name exist in this cluster`;
    throw new CommandError(message, EXIT.badInput);
  }
  const owner = result.spec?.engine;
  const present = owner === undefined ? undefined : await engineOf(owner);
  return { name, namespace, engine: present, results: [result] };
}

async function timelineText(record: RunRecord, output: TimelineOptions['output']): Promise<string> {
  if (output === 'html') {
    const { renderTimelinePage, timelinePage } = await import('../report/timeline-page/index.ts');
    return renderTimelinePage(timelinePage(record));
  }
  const entries = mergeTimeline(record.engine, record.results, record.runId);
  if (output === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  return formatTimeline(entries, { absolute: true })
    .map((line) => `${line}\n`)
    .join('');
}

async function print(text: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(file, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`cannot write the timeline: ${why}`, EXIT.badInput, { cause });
  }
}

/** Run id of the engine's present or last run; of the newest recorded step when the engine is gone. */
function lastRunId(engine: ChaosEngine | undefined, results: readonly ChaosResult[]): string | undefined {
  return engine?.status?.runId ?? mergeTimeline(undefined, results).at(-1)?.runId;
}
