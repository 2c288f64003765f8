import { parseTime } from '@turnsole/kube/text/time';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { byStart } from '../workflows/node-order.ts';
import { nodesOf } from '../workflows/nodes.ts';
import { workflowTimeline } from '../workflows/timeline.ts';
import { buildEngineReport, type EngineOutcome, generateNameOf } from './build.ts';
import type { EngineReport, NodeReport, WorkflowReport } from './model.ts';

/** Facts about one workflow at the end of its run. */
export interface WorkflowOutcome {
  /** As it was last seen. */
  readonly workflow: Workflow;
  /** What became of the engines that it made. */
  readonly engines: readonly EngineOutcome[];
  /** The CronWorkflow that it is of. */
  readonly cron?: string;
  /** Engines that its steps bring along and that were not made, each with its step. */
  readonly notMade?: readonly string[];
  /** Why the run could not be carried out, when it could not. */
  readonly reason?: string;
}

/** The report of a workflow, and those of its engines. Pure. */
export function buildWorkflowReport({ workflow, engines, cron, notMade = [], reason }: WorkflowOutcome): {
  readonly workflow: WorkflowReport;
  readonly engines: readonly EngineReport[];
} {
  const { metadata, status = {} } = workflow;
  const reports = engines.map((outcome) => ({ ...buildEngineReport(outcome), workflow: metadata.name }));
  const { message, startedAt, finishedAt, progress } = status;
  return {
    engines: reports,
    workflow: {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      ...generateNameOf(workflow),
      ...(cron !== undefined && { cron }),
      phase: status.phase || 'Pending',
      ...(message !== undefined && message !== '' && { message }),
      ...(reason !== undefined && { reason }),
      ...(progress !== undefined && { progress }),
      ...(parseTime(startedAt) !== undefined && { startedAt }),
      ...(parseTime(finishedAt) !== undefined && { endedAt: finishedAt }),
      nodes: Object.values(nodesOf(workflow)).toSorted(byStart).map(nodeReport),
      engines: reports.map(({ namespace, name }) => `${namespace}/${name}`),
      ...(notMade.length > 0 && { notMade }),
      timeline: workflowTimeline(workflow, reports),
    },
  };
}

function nodeReport({
  name,
  displayName,
  type,
  templateName,
  phase,
  message,
  startedAt,
  finishedAt,
}: NodeStatus): NodeReport {
  return {
    name,
    displayName,
    type,
    phase,
    ...(templateName !== undefined && { template: templateName }),
    ...(message !== undefined && message !== '' && { message }),
    ...(parseTime(startedAt) !== undefined && { startedAt }),
    ...(parseTime(finishedAt) !== undefined && { endedAt: finishedAt }),
  };
}
