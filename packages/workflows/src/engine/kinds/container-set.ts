import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { ContainerFact, PodFact } from '../change.ts';
import type { Draft } from '../draft.ts';
import { createNode } from '../new-node.ts';
import { isActive } from '../node-state.ts';
import { parseScope } from '../template-scope.ts';

/** The nodes of a pod's containers, drawn in the order in which they wait for one another. */
export function createContainers(draft: Draft, pod: NodeStatus, { containerSet }: Template): void {
  if (containerSet === undefined) return;
  const scope = parseScope(pod.templateScope, draft.workflowName);
  for (const { name } of containerSet.containers) {
    if (draft.named(`${pod.name}.${name}`) !== undefined) continue;
    const holder = pod.templateRef ? { templateRef: pod.templateRef } : { template: pod.templateName ?? '' };
    createNode(draft, {
      name: `${pod.name}.${name}`,
      type: 'Container',
      phase: 'Pending',
      boundary: pod,
      holder,
      scope,
    });
  }
  for (const { name, dependencies = [] } of containerSet.containers) {
    const node = draft.named(`${pod.name}.${name}`);
    if (node === undefined) continue;
    const before = dependencies.map((dependency) => draft.named(`${pod.name}.${dependency}`)?.id ?? '');
    for (const id of before.length === 0 ? [pod.id] : before) draft.addChild(id, node.id);
  }
}

/** Takes over how the containers of a pod stand. */
export function updateContainers(draft: Draft, pod: NodeStatus, fact: PodFact): void {
  for (const container of fact.containers) {
    const node = draft.named(`${pod.name}.${container.name}`);
    if (node?.type !== 'Container' || !isActive(node)) continue;
    draft.update(node, changeOf(container, draft.time));
  }
  if (fact.phase !== 'Failed') return;
  endContainers(draft, pod, ({ phase }) =>
    phase === 'Running'
      ? { phase: 'Failed', message: 'Pod Failed whilst container running' }
      : { phase: 'Error', message: 'Pod Failed before container started' },
  );
}

/** Ends the containers of a pod that are not over yet, as it is over. */
export function endContainers(
  draft: Draft,
  { children = [] }: NodeStatus,
  endOf: (container: NodeStatus) => Pick<NodeStatus, 'phase' | 'message'>,
): void {
  for (const id of children) {
    const node = draft.get(id);
    if (node?.type !== 'Container') continue;
    if (isActive(node)) draft.update(node, { ...endOf(node), finishedAt: draft.time });
    endContainers(draft, node, endOf);
  }
}

function changeOf({ name, state }: ContainerFact, finishedAt: string): Partial<NodeStatus> {
  if (state.kind === 'waiting') return {};
  if (state.kind === 'running') return { phase: 'Running' };
  const { exitCode, reason = 'Error', message = '' } = state;
  if (exitCode === 0) return { phase: 'Succeeded', finishedAt, progress: '1/1' };
  const text = `${name}: ${reason} (exit code ${exitCode}): ${message}`;
  return { phase: exitCode === 64 ? 'Error' : 'Failed', message: text, finishedAt };
}
