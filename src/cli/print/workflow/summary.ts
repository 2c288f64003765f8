import { asOneLine } from '@turnsole/kube/text/visible';
import type { Parameter } from '@turnsole/workflows/kinds/parameters';
import type { Workflow, WorkflowStatus } from '@turnsole/workflows/kinds/workflow';
import { hasEnded, phaseText } from '../../../services/workflows/phase.ts';
import { ageOf, durationOf, shortDuration } from './times.ts';

const LABEL_WIDTH = 20;

/** What `get` says of a workflow above its tree: a label and a value a line, as users of `argo get` know them. Pure. */
export function formatSummary(workflow: Workflow, nowMs: number): string[] {
  const { metadata, spec, status = {} } = workflow;
  const effective = { ...status.storedWorkflowTemplateSpec, ...spec };
  const created = metadata.creationTimestamp;
  return [
    ...line('Name', metadata.name),
    ...line('Namespace', metadata.namespace),
    ...line('ServiceAccount', effective.serviceAccountName ?? 'unset (the default account of the namespace)'),
    ...line('Status', phaseText(workflow)),
    ...line('Message', status.message),
    ...list(
      'Conditions',
      (status.conditions ?? []).map(({ type, status: value, message }) => [type, message ?? value]),
    ),
    ...line('Created', timeText(created, nowMs)),
    ...line('Started', timeText(status.startedAt, nowMs)),
    ...line('Finished', hasEnded(workflow) ? timeText(status.finishedAt, nowMs) : undefined),
    ...line('Duration', durationOf(status, nowMs)),
    ...line('EstimatedDuration', estimateText(status)),
    ...line('Progress', status.progress),
    ...line('ResourcesDuration', resourcesText(status.resourcesDuration)),
    ...list('Parameters', parameterRows(effective.arguments?.parameters)),
    ...list('Output Parameters', parameterRows(status.outputs?.parameters)),
  ];
}

function line(label: string, value: string | undefined): string[] {
  return value === undefined || value === ''
    ? []
    : [`${`${label}:`.padEnd(LABEL_WIDTH)} ${asOneLine(value)}`];
}

function list(label: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  return [
    `${label}:`,
    ...rows.map(([name, value]) => asOneLine(`  ${`${name}:`.padEnd(LABEL_WIDTH - 2)} ${value}`)),
  ];
}

function parameterRows(parameters: readonly Parameter[] = []): (readonly [string, string])[] {
  return parameters.map(({ name, value, valueFrom }) => [
    name,
    value ??
      (valueFrom?.configMapKeyRef === undefined ? '' : `of ConfigMap ${valueFrom.configMapKeyRef.name}`),
  ]);
}

function timeText(time: string | undefined | null, nowMs: number): string | undefined {
  return time === undefined || time === null || time === ''
    ? undefined
    : `${time} (${ageOf(time, nowMs)} ago)`;
}

/** As `argo get`: of what runs. */
function estimateText({ phase, estimatedDuration = 0 }: WorkflowStatus): string | undefined {
  return phase === 'Running' && estimatedDuration > 0 ? shortDuration(estimatedDuration * 1_000) : undefined;
}

function resourcesText(resources: Readonly<Record<string, number>> = {}): string {
  return Object.entries(resources)
    .map(([name, seconds]) => `${seconds}s*(${name})`)
    .join(',');
}
