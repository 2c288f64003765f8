import { parseTime } from '@turnsole/kube/text/time';
import { runsTemplate } from '@turnsole/workflows/engine/node-state';
import { globalNames } from '@turnsole/workflows/engine/substitution/globals';
import { formatScope, parseScope } from '@turnsole/workflows/engine/template-scope';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { PrometheusMetric } from '@turnsole/workflows/kinds/metrics';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Template } from '@turnsole/workflows/kinds/template';
import type { NodeChange, StoredChange } from '../ports.ts';

/** A metric that a write has something to say to: of the workflow, or of a node. */
export interface MetricUse {
  /** Id of the workflow or node, and the place of the metric in its list. */
  readonly id: string;
  readonly metric: PrometheusMetric;
  readonly names: ReadonlyMap<string, string>;
  readonly startedAt: number | undefined;
  /** Undefined for one that has just begun. */
  readonly endedAt: number | undefined;
}

/** The metrics of workflow and nodes that have begun or ended with a write. Pure. */
export function metricUses(change: StoredChange, now: number): MetricUse[] {
  return [...ofWorkflow(change, now), ...change.changes.flatMap((one) => ofNode(change, one, now))];
}

function ofWorkflow(change: StoredChange, now: number): MetricUse[] {
  const { workflow, spec, status, phaseBefore } = change;
  const metrics = spec.metrics?.prometheus ?? [];
  if (metrics.length === 0 || status.phase === phaseBefore) return [];
  const begins = phaseBefore === '' || phaseBefore === 'Pending';
  const ends = isOverPhase(status.phase);
  if (!begins && !ends) return [];
  const times = {
    startedAt: parseTime(status.startedAt),
    endedAt: ends ? (parseTime(status.finishedAt) ?? now) : undefined,
  };
  const names = globalNames(change, status, now);
  return metrics.map((metric, index) => ({
    id: `${workflow.metadata.uid}/${index}`,
    metric,
    names,
    ...times,
  }));
}

function ofNode(change: StoredChange, { before, after }: NodeChange, now: number): MetricUse[] {
  if (before?.phase === after.phase || !runsTemplate(after)) return [];
  // The node of all attempts reports them.
  if (after.nodeFlag?.retried === true) return [];
  const ends = isOverPhase(after.phase);
  if (!ends && after.phase !== 'Running') return [];
  const metrics = templateOf(change, after)?.metrics?.prometheus ?? [];
  if (metrics.length === 0) return [];
  const times = {
    startedAt: parseTime(after.startedAt),
    endedAt: ends ? (parseTime(after.finishedAt) ?? now) : undefined,
  };
  const names = new Map([...globalNames(change, change.status, now), ...namesOfNode(after, times)]);
  const { uid } = change.workflow.metadata;
  return metrics.map((metric, index) => ({ id: `${uid}/${after.id}/${index}`, metric, names, ...times }));
}

/** Names that the metrics of a template may use for its node, beside the global ones. */
function namesOfNode(
  { phase, inputs, outputs, resourcesDuration = {}, children = [], type }: NodeStatus,
  { startedAt, endedAt }: Pick<MetricUse, 'startedAt' | 'endedAt'>,
): Map<string, string> {
  const names = new Map<string, string>([['status', phase]]);
  if (startedAt !== undefined && endedAt !== undefined)
    names.set('duration', ((endedAt - startedAt) / 1000).toFixed(6));
  if (type === 'Retry') names.set('retries', String(Math.max(0, children.length - 1)));
  for (const { name, value } of inputs?.parameters ?? [])
    if (value !== undefined) names.set(`inputs.parameters.${name}`, value);
  for (const { name, value } of outputs?.parameters ?? [])
    if (value !== undefined) names.set(`outputs.parameters.${name}`, value);
  if (outputs?.result !== undefined) names.set('outputs.result', outputs.result);
  if (outputs?.exitCode !== undefined) names.set('exitCode', outputs.exitCode);
  for (const [resource, seconds] of Object.entries(resourcesDuration))
    names.set(`resourcesDuration.${resource}`, String(seconds));
  return names;
}

/** The template of a node as the workflow or its status keeps it. */
function templateOf({ workflow, spec, status }: StoredChange, node: NodeStatus): Template | undefined {
  const { templateRef, templateName } = node;
  if (templateRef !== undefined) {
    const kind = templateRef.clusterScope === true ? 'cluster' : 'namespaced';
    return status.storedTemplates[`${formatScope({ kind, name: templateRef.name })}/${templateRef.template}`];
  }
  const scope = parseScope(node.templateScope, workflow.metadata.name);
  if (scope.kind !== 'local') return status.storedTemplates[`${formatScope(scope)}/${templateName}`];
  return spec.templates?.find(({ name }) => name === templateName);
}
