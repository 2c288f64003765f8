import { messageOf } from '@turnsole/kube/text/error-message';
import type { TimelineEntry } from '../../api/index.ts';
import { type ClusterOptions, type ClusterSession, onExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { findRecord, lastRunId } from '../../services/report/find-record.ts';
import type { RunRecord } from '../../services/report/run-record.ts';
import { mergeTimeline } from '../../services/report/timeline.ts';
import type { WorkflowRecord } from '../../services/workflows/workflow-record.ts';
import { writeWhole } from '../../services/write-whole.ts';
import { formatTimeline } from '../print/timeline.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole timeline`, as the command line gives them. */
export interface TimelineOptions extends ClusterOptions {
  readonly allRuns?: boolean;
  readonly output: 'text' | 'json' | 'html';
  /** File to write to instead of standard output. */
  readonly file?: string;
}

/** Prints the timeline of an engine, of one of its results (which keep it when the engine itself is gone), or of a workflow with its engines. */
export async function run(name: string, options: TimelineOptions): Promise<number> {
  return onExisting(await withDetachedCluster(options), async (session) => {
    await print(await textOf(session, name, options), options.file);
    return 0;
  });
}

/** `workflow/NAME` means a workflow; without it, a workflow is meant when neither an engine nor a result has that name. */
const WORKFLOW = /^(?:workflow|workflows|wf)\//;

async function textOf(
  { client, namespace }: ClusterSession,
  name: string,
  { output, allRuns }: TimelineOptions,
): Promise<string> {
  const found = WORKFLOW.test(name) ? undefined : await findRecord(client, namespace, name);
  if (found !== undefined) {
    const runId = allRuns === true ? undefined : lastRunId(found.engine, found.results);
    return timelineText({ ...found, runId }, output);
  }
  const { findWorkflowRecord } = await import('../../services/workflows/workflow-record.ts');
  const record = await findWorkflowRecord(client, namespace, name.replace(WORKFLOW, ''));
  if (record !== undefined) return workflowText(record, output);
  const message = WORKFLOW.test(name)
    ? `there is no Workflow ${namespace}/${name.replace(WORKFLOW, '')}`
    : `neither a ChaosEngine ${namespace}/${name}, nor results of one, nor a ChaosResult or Workflow of that name exist in this cluster`;
  throw new CommandError(message, 'NOT_FOUND');
}

async function workflowText(record: WorkflowRecord, output: TimelineOptions['output']): Promise<string> {
  const { timelineOf, workflowPage } = await import('../../services/workflows/workflow-page.ts');
  if (output !== 'html') return entriesText(timelineOf(record), output);
  const { renderTimelinePage } = await import('../../services/report/timeline-page/render.ts');
  return renderTimelinePage(workflowPage(record));
}

async function timelineText(record: RunRecord, output: TimelineOptions['output']): Promise<string> {
  if (output === 'html') {
    const [{ timelinePage }, { renderTimelinePage }] = await Promise.all([
      import('../../services/report/timeline-page/model.ts'),
      import('../../services/report/timeline-page/render.ts'),
    ]);
    return renderTimelinePage(timelinePage(record));
  }
  return entriesText(mergeTimeline(record.engine, record.results, record.runId), output);
}

function entriesText(entries: readonly TimelineEntry[], output: 'text' | 'json'): string {
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
    await writeWhole(file, text);
  } catch (cause) {
    const why = messageOf(cause);
    throw new CommandError(`cannot write the timeline: ${why}`, 'TIMELINE_FILE', { cause });
  }
}
