import type { CronWorkflow } from '../kinds/cron-workflow.ts';
import type { Workflow } from '../kinds/workflow.ts';

const DEFAULT_SUCCESSFUL = 3;
const DEFAULT_FAILED = 1;

/** The workflows that have ended and are more than the history keeps, oldest first. Those that failed or erred count together. Pure. */
export function beyondHistory({ spec }: CronWorkflow, children: readonly Workflow[]): Workflow[] {
  const { successfulJobsHistoryLimit = DEFAULT_SUCCESSFUL, failedJobsHistoryLimit = DEFAULT_FAILED } = spec;
  const of = (...phases: readonly string[]) =>
    children.filter(({ status }) => phases.includes(status?.phase ?? '')).toSorted(byEnd);
  return [
    ...allButLast(of('Succeeded'), successfulJobsHistoryLimit),
    ...allButLast(of('Failed', 'Error'), failedJobsHistoryLimit),
  ];
}

function allButLast(workflows: readonly Workflow[], count: number): readonly Workflow[] {
  return workflows.slice(0, Math.max(0, workflows.length - count));
}

function byEnd(a: Workflow, b: Workflow): number {
  const [endA = '', endB = ''] = [a.status?.finishedAt, b.status?.finishedAt];
  return endA < endB ? -1 : endA > endB ? 1 : 0;
}
