import { podName } from '../kinds/pod-names.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Template } from '../kinds/template.ts';
import type { Draft } from './draft.ts';
import { displayName } from './node-names.ts';

/** Names that a template knows of its own node. */
export function localNames(
  draft: Draft,
  node: Pick<NodeStatus, 'name' | 'boundaryID' | 'nodeFlag' | 'type' | 'templateName' | 'templateRef'>,
  template: Template,
): Map<string, string> {
  const names = new Map([['node.name', node.name]]);
  const boundary = draft.boundaryOf(node);
  const calledAs = displayName(node.name, boundary?.name).replace(
    node.nodeFlag?.retried ? /\(\d+\)$/ : /$^/,
    '',
  );
  if (boundary !== undefined) names.set(boundary.type === 'DAG' ? 'tasks.name' : 'steps.name', calledAs);
  if (node.type === 'Pod' && isPodTemplate(template)) {
    const template_ = node.templateName ?? node.templateRef?.template;
    names.set('pod.name', podName(draft.run.options.podNames, draft.workflowName, node, template_));
  }
  if (node.nodeFlag?.retried) addRetryNames(draft, node.name, names);
  return names;
}

function isPodTemplate({ container, script, containerSet, resource, data }: Template): boolean {
  return [container, script, containerSet, resource, data].some((type) => type !== undefined);
}

/** `retries` and `lastRetry.*`: of the attempt before this one. */
function addRetryNames(draft: Draft, name: string, names: Map<string, string>): void {
  const attempt = Number(/\((\d+)\)$/.exec(name)?.[1] ?? 0);
  const last = attempt === 0 ? undefined : draft.named(name.replace(/\(\d+\)$/, `(${attempt - 1})`));
  names.set('retries', String(attempt));
  names.set('lastRetry.exitCode', last === undefined ? '0' : (last.outputs?.exitCode ?? '-1'));
  names.set('lastRetry.status', last?.phase ?? '');
  names.set('lastRetry.duration', last === undefined ? '0' : String(secondsOf(last)));
  names.set('lastRetry.message', last?.message ?? '');
}

function secondsOf({ startedAt, finishedAt }: NodeStatus): number {
  if (startedAt === undefined || finishedAt === undefined) return 0;
  return Math.floor((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000);
}
