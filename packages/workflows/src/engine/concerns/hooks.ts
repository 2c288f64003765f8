import { ExpressionError } from '../../expression/errors.ts';
import type { NodeStatus } from '../../kinds/status.ts';
import type { LifecycleHook, WorkflowStep } from '../../kinds/template.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { createNode } from '../new-node.ts';
import { nodeMessage } from '../node-error.ts';
import { isCompleted, isFulfilled } from '../node-state.ts';
import { namesFor, resolveArguments } from '../resolve-step.ts';
import { startTemplate } from '../start.ts';
import type { Names } from '../substitution/names.ts';
import { evaluate, substitute } from '../substitution/render.ts';
import { isExitAllowed } from './shutdown.ts';

/** Starts what hooks of a step are due on its node. */
export function startHooks(draft: Draft, node: NodeStatus, step: WorkflowStep, boundary: NodeStatus): void {
  for (const [name, hook] of Object.entries(step.hooks ?? {})) {
    if (name !== 'exit' && isDue(draft, hook, boundary))
      startHook(draft, node, `hooks.${name}`, hook, boundary);
  }
  const exit = exitHookOf(step);
  if (exit === undefined || !isCompleted(node) || !isFulfilled(node) || !isExitAllowed(draft)) return;
  if (exit.expression === undefined || isDue(draft, exit, boundary))
    startHook(draft, node, 'onExit', exit, boundary);
}

/** The hook that runs once the node, or the workflow, is over; `onExit` is its old spelling. */
export function exitHookOf({
  hooks,
  onExit,
}: Pick<WorkflowStep, 'hooks' | 'onExit'>): LifecycleHook | undefined {
  return hooks?.['exit'] ?? (onExit === undefined || onExit === '' ? undefined : { template: onExit });
}

/** Whether a node that is over has an exit hook that is due and was not begun. */
export function awaitsExitHook(
  draft: Draft,
  node: NodeStatus,
  step: WorkflowStep,
  boundary: NodeStatus,
): boolean {
  const exit = exitHookOf(step);
  if (exit === undefined || !isCompleted(node) || !isExitAllowed(draft)) return false;
  if (draft.named(`${node.name}.onExit`) !== undefined) return false;
  return exit.expression === undefined || isDue(draft, exit, boundary);
}

export function hasHooks(step: WorkflowStep): boolean {
  return step.hooks !== undefined || exitHookOf(step) !== undefined;
}

function startHook(
  draft: Draft,
  node: NodeStatus,
  suffix: string,
  hook: LifecycleHook,
  boundary: NodeStatus,
): void {
  const name = `${node.name}.${suffix}`;
  if (draft.named(name) !== undefined) return;
  const { scope } = frameOf(draft, boundary);
  const call = { name, holder: hook, scope, boundary, flag: { hooked: true } };
  try {
    const names = namesFor(draft, boundary);
    const args = resolveArguments(draft, hook.arguments, names);
    const { templateRef } = hook;
    const holder = templateRef
      ? { ...hook, templateRef: substitute(templateRef, names, draft.pass('last')) }
      : hook;
    const started = startTemplate(draft, { ...call, holder, args });
    if (started.kind !== 'blocked') draft.addChild(node.id, started.node.id);
  } catch (error) {
    const message = `unable to resolve references: ${nodeMessage(error)}`;
    const failed = createNode(draft, { ...call, type: 'Skipped', phase: 'Error', message });
    draft.addChild(node.id, failed.id);
  }
}

function isDue(draft: Draft, { expression }: LifecycleHook, boundary: NodeStatus): boolean {
  if (expression === undefined || expression === '') return false;
  return holds(draft, expression, namesFor(draft, boundary));
}

/** Whether the expression of a hook is true. */
export function holds(draft: Draft, expression: string, names: Names): boolean {
  try {
    const { text } = substitute({ text: expression }, names, draft.pass('last'));
    return evaluate(text, names, draft.pass('last')) === true;
  } catch (error) {
    // It may read a value that does not exist yet.
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}
