import { withCode } from '../../../chaos/errors/row.ts';
import { formatProblem } from '../../../services/errors.ts';
import {
  type BroughtObject,
  type CheckedWorkflowPlan,
  plannedWorkflow,
} from '../../../services/plan/workflow-plans.ts';
import { formatColumns } from '../columns.ts';
import { section } from '../section.ts';

/** What a workflow would run, in which order, what its steps bring along, and what speaks against it. Pure. */
export function formatWorkflowPlan(plan: CheckedWorkflowPlan): string[] {
  const { namespace, name, cron, steps, warnings, problems } = plannedWorkflow(plan);
  const rows = steps.map((step) => [
    // The first one is the workflow as a whole.
    step.number === '' ? '·' : step.number,
    `${'  '.repeat(Math.max(0, step.number.split('.').length - 1))}${step.name}`,
    step.template,
    [...step.remarks, ...step.brings.map(broughtText)].join('; '),
  ]);
  return [
    `Workflow ${namespace}/${name}${cron === undefined ? '' : ` of CronWorkflow ${cron}, once, now`}`,
    ...formatColumns([['', 'STEP', 'TEMPLATE', ''], ...rows]).map((line) => `  ${line}`),
    ...section('warnings', warnings),
    ...section(
      `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}; a run would be refused`,
      problems.map((problem) => withCode(formatProblem(problem), problem.code)),
    ),
    ...(problems.length === 0 ? ['  steps with the same number run side by side; nothing was run'] : []),
  ];
}

function broughtText({ kind, name, appliedBy }: BroughtObject): string {
  return `${kind} ${name}${appliedBy === undefined ? ' in a file' : ` by ${appliedBy}`}`;
}
