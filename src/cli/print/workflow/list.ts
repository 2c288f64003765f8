import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { nodesOf } from '../../../services/workflows/nodes.ts';
import { phaseText } from '../../../services/workflows/phase.ts';
import { formatColumns } from '../columns.ts';
import { ageOf, durationOf } from './times.ts';

/** How the list looks. */
interface ListOptions {
  readonly nowMs: number;
  readonly withNamespace: boolean;
  readonly isWide: boolean;
  readonly withHeader: boolean;
}

/** Workflows one a line, with the columns that users of `argo list` know. Pure. */
export function formatWorkflows(workflows: readonly Workflow[], options: ListOptions): string[] {
  const { nowMs, withNamespace, isWide, withHeader } = options;
  const header = [
    ...(withNamespace ? ['NAMESPACE'] : []),
    'NAME',
    'STATUS',
    'AGE',
    'DURATION',
    'PRIORITY',
    ...(isWide ? ['P/R/C', 'PARAMETERS'] : []),
    'MESSAGE',
  ];
  const rows = workflows.map((workflow) => {
    const { metadata, spec, status } = workflow;
    return [
      ...(withNamespace ? [metadata.namespace ?? ''] : []),
      metadata.name,
      phaseText(workflow),
      ageOf(metadata.creationTimestamp, nowMs),
      durationOf(status ?? {}, nowMs),
      String(spec.priority ?? 0),
      ...(isWide ? [podCounts(workflow), parametersText(workflow)] : []),
      (status?.message ?? '').split('\n')[0] ?? '',
    ];
  });
  return formatColumns([...(withHeader ? [header] : []), ...rows]);
}

/** Pods that are pending, run, and have ended. */
function podCounts(workflow: Workflow): string {
  const pods = Object.values(nodesOf(workflow)).filter(({ type }) => type === 'Pod');
  const pending = pods.filter(({ phase }) => phase === 'Pending').length;
  const running = pods.filter(({ phase }) => phase === 'Running').length;
  return `${pending}/${running}/${pods.length - pending - running}`;
}

function parametersText({ spec }: Workflow): string {
  return (spec.arguments?.parameters ?? []).map(({ name, value = '' }) => `${name}=${value}`).join(',');
}
