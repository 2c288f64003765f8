import { formatLayout } from '../../expression/functions/go-layout.ts';
import { Instant } from '../../expression/values.ts';
import { ANNOTATION_SCHEDULED_TIME } from '../../kinds/labels.ts';
import type { Outputs, Parameter } from '../../kinds/parameters.ts';
import type { NodeStatus } from '../../kinds/status.ts';
import type { Workflow, WorkflowSpec } from '../../kinds/workflow.ts';

/** What the values of the names come from. */
interface GlobalFacts {
  readonly workflow: Workflow;
  readonly spec: WorkflowSpec;
  /** The workflow's own, tags replaced. @default those of the spec */
  readonly parameters?: readonly Parameter[];
}

/** The part of the status that names show. */
interface StatusFacts {
  readonly phase: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly outputs?: Outputs;
}

/** Names that are known everywhere in the workflow. */
export function globalNames(run: GlobalFacts, status: StatusFacts, now: number): Map<string, string> {
  const { metadata } = run.workflow;
  const names = new Map<string, string>([
    ['workflow.name', metadata.name],
    ['workflow.namespace', metadata.namespace ?? ''],
    ['workflow.uid', metadata.uid ?? ''],
    ['workflow.mainEntrypoint', run.spec.entrypoint ?? ''],
    ['workflow.serviceAccountName', run.spec.serviceAccountName ?? ''],
    ['workflow.status', status.phase],
    ['workflow.duration', durationSeconds(status, now)],
  ]);
  if (run.spec.priority !== undefined) names.set('workflow.priority', String(run.spec.priority));
  addTimes(names, metadata.creationTimestamp);
  addParameters(names, run.parameters ?? run.spec.arguments?.parameters ?? []);
  addMetadata(names, 'labels', { ...metadata.labels, ...run.spec.workflowMetadata?.labels });
  addMetadata(names, 'annotations', { ...metadata.annotations, ...run.spec.workflowMetadata?.annotations });
  const scheduled = metadata.annotations?.[ANNOTATION_SCHEDULED_TIME];
  if (scheduled !== undefined) names.set('workflow.scheduledTime', scheduled);
  for (const { name, value } of status.outputs?.parameters ?? []) {
    names.set(`workflow.outputs.parameters.${name}`, value ?? '');
  }
  return names;
}

function durationSeconds({ startedAt, finishedAt }: StatusFacts, now: number): string {
  if (startedAt === undefined) return '0.000000';
  const end = finishedAt === undefined ? now : Date.parse(finishedAt);
  return ((end - Date.parse(startedAt)) / 1000).toFixed(6);
}

function addParameters(names: Map<string, string>, parameters: readonly Parameter[]): void {
  for (const { name, value } of parameters) {
    if (value !== undefined) names.set(`workflow.parameters.${name}`, value);
  }
  const json = JSON.stringify(parameters);
  names.set('workflow.parameters', json);
  names.set('workflow.parameters.json', json);
}

function addMetadata(
  names: Map<string, string>,
  field: 'labels' | 'annotations',
  values: Readonly<Record<string, string>>,
): void {
  const json = JSON.stringify(
    Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  names.set(`workflow.${field}`, json);
  names.set(`workflow.${field}.json`, json);
  for (const [key, value] of Object.entries(values)) names.set(`workflow.${field}.${key}`, value);
}

/** Letters of strftime, as Go's layouts write what they stand for. */
const STRFTIME = {
  B: 'January',
  b: 'Jan',
  m: '01',
  A: 'Monday',
  a: 'Mon',
  d: '02',
  H: '15',
  I: '03',
  M: '04',
  S: '05',
  Y: '2006',
  y: '06',
  p: 'PM',
  Z: 'MST',
  z: '-0700',
} as const;

/** `workflow.creationTimestamp` with the letters of strftime, in UTC. */
function addTimes(names: Map<string, string>, created: string | undefined): void {
  if (created === undefined) return;
  const date = new Date(created);
  const instant = new Instant(date.getTime());
  names.set('workflow.creationTimestamp', created);
  names.set('workflow.creationTimestamp.RFC3339', created);
  names.set('workflow.creationTimestamp.s', String(Math.floor(instant.ms / 1000)));
  for (const [letter, layout] of Object.entries(STRFTIME))
    names.set(`workflow.creationTimestamp.${letter}`, formatLayout(instant, layout));
  names.set('workflow.creationTimestamp.L', String(date.getUTCMilliseconds()).padStart(3, '0'));
}

/** `workflow.failures`: what failed, as text of JSON that is quoted once more, for exit handlers. */
export function failuresText(nodes: Iterable<NodeStatus>, podNameOf: (node: NodeStatus) => string): string {
  const failed = [...nodes].filter(({ phase }) => phase === 'Failed' || phase === 'Error');
  if (failed.length === 0) return 'null';
  const list = failed
    .sort((a, b) => (a.displayName < b.displayName ? -1 : 1))
    .map((node) => ({
      displayName: node.displayName,
      message: node.message ?? '',
      templateName: node.templateName ?? '',
      phase: node.phase,
      podName: podNameOf(node),
      finishedAt: node.finishedAt ?? null,
    }));
  return JSON.stringify(JSON.stringify(list));
}
