import { taskReferences } from '../kinds/depends.ts';
import type { Arguments } from '../kinds/parameters.ts';
import { podName } from '../kinds/pod-names.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Template, WorkflowStep } from '../kinds/template.ts';
import { mergeDefaults } from '../kinds/template-defaults.ts';
import type { Draft } from './draft.ts';
import type { Element, Frame, Member } from './frames.ts';
import { localNames } from './local-names.ts';
import { hookedName } from './node-names.ts';
import { bindTemplate } from './substitution/bind-inputs.ts';
import { layered, namesOf } from './substitution/names.ts';
import { parseScope } from './template-scope.ts';
import { type ResolvedTemplate, resolveTemplate, type TemplateHolder } from './templates.ts';

/** The frame of a node, from its status. Cached, as it is always the same. */
export function frameOf(draft: Draft, node: NodeStatus): Frame {
  const { frames } = draft.run;
  const kept = frames.get(node.id);
  if (kept !== undefined) return kept;
  const { template, scope } = templateOf(draft, node);
  const frame = makeFrame(boundTemplate(draft, node, template, node.inputs), scope);
  if (node.type === 'Steps' || node.type === 'DAG' || node.type === 'Retry') frames.set(node.id, frame);
  return frame;
}

/** The template of a node with what its caller gives it, and the names that are known when it begins. @throws ExpressionError */
export function boundTemplate(
  draft: Draft,
  node: Parameters<typeof localNames>[1],
  template: Template,
  args: Arguments | undefined,
): Template {
  const names = layered(namesOf(localNames(draft, node, template)), draft.globals);
  return bindTemplate(template, args, names, {
    ...draft.pass('later'),
    readConfigMap: (name, key) => draft.run.facts.parameterConfigMaps.get(name)?.[key],
  });
}

function makeFrame(template: Template, scope: Frame['scope']): Frame {
  const members = membersOf(template);
  const inputs = new Map<string, readonly string[]>();
  const dependants = new Map<string, string[]>();
  for (const task of template.dag?.tasks ?? []) {
    // Tasks are looked at, and get their nodes, in the order of their names.
    const needed = [...new Set(taskReferences(task).map((reference) => reference.task))].sort();
    inputs.set(task.name, needed);
    for (const name of needed) dependants.set(name, [...(dependants.get(name) ?? []), task.name]);
  }
  return { template, scope, members, inputs, dependants };
}

/** The template of a node, with defaults below it, and no tag replaced. */
function templateOf(draft: Draft, node: NodeStatus): ResolvedTemplate {
  const scope = parseScope(node.templateScope, draft.workflowName);
  const resolved = resolveTemplate(draft.run, draft.status.storedTemplates, holderOf(draft, node), scope);
  return { ...resolved, template: mergeDefaults(resolved.template, draft.run.spec) };
}

/** A node of an inline template does not say which: its step does. */
function holderOf(draft: Draft, node: NodeStatus): TemplateHolder {
  if (node.templateRef !== undefined) return { templateRef: node.templateRef };
  if (node.templateName !== undefined && node.templateName !== '') return { template: node.templateName };
  const boundary = draft.boundaryOf(node);
  const step = boundary && frameOf(draft, boundary).members.get(stepName(node, boundary))?.step;
  if (boundary === undefined || step?.inline === undefined) return {};
  const inline = elementOf(draft, node, boundary, step)?.step.inline ?? step.inline;
  return { inline };
}

/** What the step of a node stands for there: tags of an inline template may name the element of a loop and other steps. */
function elementOf(
  draft: Draft,
  node: NodeStatus,
  boundary: NodeStatus,
  step: WorkflowStep,
): Element | undefined {
  if (!JSON.stringify(step.inline).includes('{{')) return undefined;
  const called = calledAs(node, boundary);
  const isCalled = ({ name }: Element): boolean => called === name || called.startsWith(`${name}(`);
  return elementsKnown(draft, node, boundary, step).find(isCalled);
}

/** Those that its group was begun with, or, in another process, what they are resolved to again. */
function elementsKnown(
  draft: Draft,
  node: NodeStatus,
  boundary: NodeStatus,
  step: WorkflowStep,
): readonly Element[] {
  const index = /^\[\d+\]/.exec(node.name.slice(boundary.name.length))?.[0];
  const group = draft.named(index === undefined ? `${boundary.name}.${step.name}` : boundary.name + index);
  const known = group && draft.run.elements.get(group.id);
  return known ?? draft.resolve(boundary, step);
}

/** The name of the step or task that a node is of: without index of a loop and attempt. */
export function stepName(node: NodeStatus, boundary: NodeStatus): string {
  return calledAs(node, boundary).replace(/\(.*$/s, '');
}

/** The same with index and attempt. */
function calledAs(node: NodeStatus, boundary: NodeStatus): string {
  return hookedName(node.name)
    .slice(boundary.name.length)
    .replace(/^(?:\[\d+\])?\./, '');
}

function membersOf({ steps, dag }: Template): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  for (const [group, list] of (steps ?? []).entries())
    for (const step of list) members.set(step.name, { step, group });
  for (const step of dag?.tasks ?? []) members.set(step.name, { step });
  return members;
}

/** The name of a node's pod. */
export function podNameOf(draft: Draft, node: NodeStatus): string {
  const template = node.templateName ?? node.templateRef?.template;
  return podName(draft.run.options.podNames, draft.workflowName, node, template);
}
