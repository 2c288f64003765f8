import type { NodeStatus, WorkflowPhase } from '../../kinds/status.ts';
import type { LifecycleHook } from '../../kinds/template.ts';
import type { Draft, Ending } from '../draft.ts';
import { podNameOf } from '../frame-of.ts';
import { isFailed, isFulfilled } from '../node-state.ts';
import { startTemplate } from '../start.ts';
import { failuresText } from '../substitution/globals.ts';
import { layered, type Names, namesOf } from '../substitution/names.ts';
import { substitute } from '../substitution/render.ts';
import { localScope } from '../template-scope.ts';
import { exitHookOf, holds } from './hooks.ts';
import { isExitAllowed } from './shutdown.ts';

/** How the workflow is going to end. */
export function endingOf(draft: Draft, root: NodeStatus): Ending {
  const failures = (): string => failuresText(draft.all(), (node) => podNameOf(draft, node));
  return { phase: phaseOf(root), failures };
}

/** The node of the exit handler, begun if it was not; undefined when the workflow runs none. */
export function exitNode(draft: Draft, root: NodeStatus): NodeStatus | undefined {
  const name = `${draft.workflowName}.onExit`;
  const known = draft.named(name);
  const handler = exitHookOf(draft.run.spec);
  if (known !== undefined || handler === undefined || !isExitAllowed(draft)) return known;
  draft.ending = endingOf(draft, root);
  if (!isDue(draft, handler, draft.globals)) return undefined;
  const { spec } = draft.run;
  const args = substitute(handler.arguments ?? spec.arguments, draft.globals, draft.pass('last'));
  const started = startTemplate(draft, {
    name,
    holder: handler,
    scope: localScope(draft.run),
    args: handler.arguments === undefined ? { ...args, parameters: draft.run.parameters.values } : args,
    flag: { hooked: true },
  });
  return started.kind === 'blocked' ? root : started.node;
}

/** Starts the hooks of the workflow that are due; true while one of them runs. */
export function workflowHooksRun(draft: Draft, root: NodeStatus): boolean {
  let isAnyOpen = false;
  for (const [key, hook] of Object.entries(draft.run.spec.hooks ?? {})) {
    if (key === 'exit') continue;
    const name = `${root.name}.hooks.${key}`;
    const known = draft.named(name) ?? startHook(draft, root, name, hook);
    if (known !== undefined && !isFulfilled(known)) isAnyOpen = true;
  }
  return isAnyOpen;
}

function startHook(
  draft: Draft,
  root: NodeStatus,
  name: string,
  hook: LifecycleHook,
): NodeStatus | undefined {
  // While the entry runs, the workflow does; hooks see the phase that it will end with once the entry is over.
  const phase = isFulfilled(root) ? phaseOf(root) : 'Running';
  const names = layered(namesOf(new Map([['workflow.status', phase]])), draft.globals);
  if (!isDue(draft, hook, names) || draft.run.controls.shutdown !== undefined) return undefined;
  const started = startTemplate(draft, {
    name,
    holder: hook,
    scope: localScope(draft.run),
    args: hook.arguments && substitute(hook.arguments, names, draft.pass('last')),
    flag: { hooked: true },
  });
  if (started.kind === 'blocked') return undefined;
  draft.addChild(root.id, started.node.id);
  return started.node;
}

function isDue(draft: Draft, { expression }: LifecycleHook, names: Names): boolean {
  return expression === undefined || expression === '' || holds(draft, expression, names);
}

/** The phase that a root node gives its workflow. */
export function phaseOf(root: NodeStatus): WorkflowPhase {
  if (root.phase === 'Error') return 'Error';
  return isFailed(root) ? 'Failed' : 'Succeeded';
}
