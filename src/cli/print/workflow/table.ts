import { asOneLine } from '@turnsole/kube/text/visible';
import type { WorkflowReport } from '../../../services/report/model.ts';
import { formatColumns } from '../columns.ts';
import type { Style } from '../style.ts';
import { durationOf } from './times.ts';

const HEADER = ['WORKFLOW', 'PHASE', 'PROGRESS', 'TOOK', 'ENGINES'];

/** The table of the workflows of a run: one line per workflow, and below each that did not succeed the reason. Pure. */
export function formatWorkflowTable(workflows: readonly WorkflowReport[], style: Style): string[] {
  const rows = workflows.map(({ namespace, name, phase, progress, startedAt, endedAt, engines }) => [
    `${namespace}/${name}`,
    phase,
    progress ?? '-',
    endedAt === undefined
      ? '-'
      : durationOf({ startedAt: startedAt ?? null, finishedAt: endedAt }, 0) || '0s',
    engines.length === 0 ? '-' : engines.join(', '),
  ]);
  const [head = '', ...lines] = formatColumns([HEADER, ...rows]);
  return [
    style('bold', head),
    ...lines.flatMap((line, index) => {
      const workflow = workflows[index];
      if (workflow === undefined) return [];
      const { phase } = workflow;
      const colour = phase === 'Succeeded' && workflow.reason === undefined ? 'green' : 'red';
      return [
        line.replace(phase, style(colour, phase)),
        ...reasonsOf(workflow).map((reason) => `  ${style('dim', '└')} ${asOneLine(reason)}`),
      ];
    }),
  ];
}

/** Why a workflow is no pass: what keeps it, and where it failed, its message and the nodes that failed by themselves. Pure. */
function reasonsOf({ phase, reason, message, nodes }: WorkflowReport): string[] {
  if (phase === 'Succeeded') return reason === undefined ? [] : [reason];
  const failed = nodes
    .filter((node) => (node.phase === 'Failed' || node.phase === 'Error') && !GROUPS.includes(node.type))
    .map((node) => `${node.name}: ${node.phase}${node.message === undefined ? '' : ` (${node.message})`}`);
  // A group says only that one of its members failed.
  const own = message === undefined || /^child '.*' failed$/.test(message) ? [] : [message];
  return [...new Set([...(reason === undefined ? [] : [reason]), ...own, ...failed])];
}

const GROUPS = ['Steps', 'StepGroup', 'DAG', 'TaskGroup', 'Retry'];
