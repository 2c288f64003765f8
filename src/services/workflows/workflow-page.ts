import { parseTime } from '@turnsole/kube/text/time';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import { courseOf } from '../report/course/course.ts';
import { plainWords } from '../report/error-words.ts';
import { workflowRecordReport } from '../report/record-report.ts';
import type { RunRecord } from '../report/run-record.ts';
import { mergeTimeline } from '../report/timeline.ts';
import { inOrder, type Lane } from '../report/timeline-page/lane.ts';
import { type TimelinePage, timelinePage } from '../report/timeline-page/model.ts';
import { isNeverBegun, NEVER_BEGUN } from './never-begun.ts';
import { byStart } from './node-order.ts';
import { hasFailed, nodesOf } from './nodes.ts';
import { workflowTimeline } from './timeline.ts';
import type { WorkflowRecord } from './workflow-record.ts';

/** The page of a workflow: its nodes, then the lanes of each of its engines. Pure. */
export function workflowPage(record: WorkflowRecord): TimelinePage {
  const { workflow, engines } = record;
  const { name, namespace = '' } = workflow.metadata;
  const labels = engineLabels(engines);
  const pages = engines.map((engine, index) => ({ ...timelinePage(engine), label: labels[index] ?? '' }));
  const steps = timelineOf(record);
  const times = [
    ...steps.map(({ time }) => Date.parse(time)),
    ...pages.flatMap(({ startMs, endMs }) => [startMs, endMs]),
  ].filter((time) => time > 0);
  const startMs = times.length === 0 ? 0 : Math.min(...times);
  const endMs = times.length === 0 ? 0 : Math.max(...times, startMs + 1);
  const { outcome } = workflowRecordReport(record, { turnsole: '', nowMs: endMs });
  const nodes = Object.values(nodesOf(workflow))
    .filter(({ type }) => type !== 'StepGroup' && type !== 'TaskGroup')
    // The node of the workflow itself lasts as long as the run: it says nothing beside its steps.
    .filter(({ id }, _index, all) => id !== name || all.length === 1)
    .toSorted(byStart);
  return {
    title: `workflow ${namespace}/${name}`,
    runId: undefined,
    startMs,
    endMs,
    verdicts: [
      {
        experiment: `workflow ${name}`,
        verdict: workflow.status?.phase || 'Pending',
        detail: workflow.status?.message ?? '',
      },
      ...pages.flatMap(({ label, verdicts }) =>
        verdicts.map((one) => ({ ...one, experiment: nameAmong(one.experiment, label) })),
      ),
    ],
    warnings: pages.flatMap(({ warnings }) => warnings),
    ...(outcome !== undefined && { outcome }),
    course: courseOf(...engines),
    lanes: inOrder([
      ...nodes.flatMap((node) => nodeLane(node, endMs)),
      ...pages.flatMap(({ label, lanes }) =>
        lanes.map((lane) => (label === '' ? lane : { ...lane, name: `${lane.name}, ${label}` })),
      ),
    ]),
    steps,
  };
}

/**
 * The labels of engines' lanes: the steps that made them, else their experiments, as the engine's own name is drawn anew for each run, and says
 * nothing. Empty when the workflow has one engine.
 */
function engineLabels(engines: readonly RunRecord[]): readonly string[] {
  if (engines.length < 2) return [];
  const names = engines.map(({ engine, results, name, step }) => {
    if (step !== undefined) return step;
    const own = engine?.spec?.experiments ?? engine?.status?.experiments ?? [];
    const ofResults = results.map(({ spec, metadata }) => spec?.experiment ?? metadata.name);
    return [...new Set(own.length > 0 ? own.map((one) => one.name) : ofResults)].join(' and ') || name;
  });
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((one) => one === name).length;
    return before === 0 ? name : `${name} (${before + 1})`;
  });
}

/** The name of an experiment among those of other engines: `pod-delete (2)`; of an engine with several, `pod-delete of its label`. */
function nameAmong(experiment: string, label: string): string {
  if (label === '') return experiment;
  return label.replace(/ \(\d+\)$/, '') === experiment ? label : `${experiment} of ${label}`;
}

/** The steps of a workflow and of its engines, in order of time. Pure. */
export function timelineOf({ workflow, engines }: WorkflowRecord) {
  return workflowTimeline(
    workflow,
    engines.map(({ engine, results, runId, step }) => ({
      ...(step !== undefined && { step }),
      timeline: mergeTimeline(engine, results, runId),
    })),
  );
}

function nodeLane(node: NodeStatus, endMs: number): Lane[] {
  const fromMs = parseTime(node.startedAt);
  if (fromMs === undefined) return [];
  const isBegun = !isNeverBegun(node.message ?? '');
  const said = node.message === undefined ? '' : `, ${plainWords(node.message)}`;
  const label = `${node.name}: ${isBegun ? node.phase : NEVER_BEGUN}${said}`;
  const toMs = parseTime(node.finishedAt) ?? endMs;
  const kind = isBegun && hasFailed(node) ? 'failure' : node.phase === 'Succeeded' ? 'passed' : 'life';
  return [{ group: 'Steps', name: node.displayName, bars: [{ kind, fromMs, toMs, label }], marks: [] }];
}
