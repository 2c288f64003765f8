import { writeFile } from 'node:fs/promises';
import { CHAOS_ENGINES, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
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
    const runId = options.allRuns === true ? undefined : lastRunId(engine, results);
    await print(
      await timelineText({ name, namespace, engine, results, runId }, options.output),
      options.file,
    );
    return 0;
  } finally {
    await session.close();
  }
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
