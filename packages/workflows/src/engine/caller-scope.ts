import { parseJson } from '@turnsole/kube/text/json';
import { jsonProblem } from '@turnsole/kube/text/json-problem';
import type { Value } from '../expression/values.ts';
import { isLoop } from '../kinds/loop.ts';
import type { Artifact, Parameter } from '../kinds/parameters.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Draft } from './draft.ts';
import { frameOf } from './frame-of.ts';
import type { Frame, Member } from './frames.ts';
import { NodeError } from './node-error.ts';
import { ABSENT, type Names, type NameValue } from './substitution/names.ts';
import { parseScope } from './template-scope.ts';
import { resolveTemplate } from './templates.ts';

/** Finds what other steps and tasks of a template gave. */
export interface CallerScope extends Names {
  readonly artifact: (name: string) => Artifact | undefined;
}

const NAME = /^(steps|tasks)\.([^.]+)\.(.+)$/;

/** Names of the steps of a Steps node, or of the tasks of a DAG node. Collects nothing: each name is looked up on demand. */
export function callerScope(draft: Draft, boundary: NodeStatus): CallerScope {
  const frame = frameOf(draft, boundary);
  const prefix = frame.template.dag === undefined ? 'steps' : 'tasks';
  const find = (name: string): Found | undefined => {
    const [, root, task = '', field = ''] = NAME.exec(name) ?? [];
    const member = root === prefix ? frame.members.get(task) : undefined;
    const node = member === undefined ? undefined : memberNode(draft, boundary, member);
    const isGroupOfLoop = member?.group !== undefined && isLoop(member.step);
    if (member === undefined || (node === undefined && !isGroupOfLoop)) return undefined;
    return { draft, boundary, frame, member, node, field };
  };
  return {
    get: (name) => {
      const found = find(name);
      return found && textOf(found);
    },
    artifact: (name) => {
      const input = /^inputs\.artifacts\.([^.]+)$/.exec(name)?.[1];
      if (input !== undefined)
        return frame.template.inputs?.artifacts?.find((artifact) => artifact.name === input);
      const found = find(name);
      return found && artifactOf(found);
    },
    *entries(wanted) {
      for (const [task, member] of frame.members) {
        if (!isWanted(wanted, prefix, task)) continue;
        const node = memberNode(draft, boundary, member);
        for (const field of fieldsOf(draft, boundary, member, node)) {
          const value = expressionValue({ draft, boundary, frame, member, node, field });
          if (value !== undefined) yield [`${prefix}.${task}.${field}`, value];
        }
      }
      for (const artifact of frame.template.inputs?.artifacts ?? []) {
        if ([...wanted].some((name) => name.startsWith('inputs.artifacts'))) {
          yield [`inputs.artifacts.${artifact.name}`, artifact as Value];
        }
      }
    },
  };
}

/** The node of a step or task: of a looped task its TaskGroup; a looped step has none. */
function memberNode(draft: Draft, boundary: NodeStatus, { step, group }: Member): NodeStatus | undefined {
  return draft.named(
    group === undefined ? `${boundary.name}.${step.name}` : `${boundary.name}[${group}].${step.name}`,
  );
}

interface Found {
  readonly draft: Draft;
  readonly boundary: NodeStatus;
  readonly frame: Frame;
  readonly member: Member;
  readonly node: NodeStatus | undefined;
  /** The requested field of the node: `status`, `outputs.result` … */
  readonly field: string;
}

function isWanted(wanted: ReadonlySet<string>, prefix: string, task: string): boolean {
  for (const name of wanted) {
    if (name === prefix || name === `${prefix}.${task}` || name.startsWith(`${prefix}.${task}.`)) return true;
  }
  return false;
}

const PLAIN_FIELDS = [
  'id',
  'status',
  'startedAt',
  'finishedAt',
  'hostNodeName',
  'ip',
  'exitCode',
  'outputs.result',
];

function fieldsOf(
  draft: Draft,
  boundary: NodeStatus,
  member: Member,
  node: NodeStatus | undefined,
): string[] {
  if (isLoop(member.step)) {
    const names = new Set(
      elementsOf(draft, boundary, member).flatMap((element) =>
        (element.outputs?.parameters ?? []).map(({ name }) => name),
      ),
    );
    return [...PLAIN_FIELDS, ...[...names].map((name) => `outputs.parameters.${name}`)];
  }
  const declared = declaredOutputs(draft, node);
  const parameters = new Set([...declared, ...(node?.outputs?.parameters ?? []).map(({ name }) => name)]);
  const artifacts = (node?.outputs?.artifacts ?? []).map(({ name }) => `outputs.artifacts.${name}`);
  return [...PLAIN_FIELDS, ...[...parameters].map((name) => `outputs.parameters.${name}`), ...artifacts];
}

function expressionValue(found: Found): Value | undefined {
  const artifact = artifactOf(found);
  if (artifact !== undefined) return artifact as Value;
  const text = textOf(found);
  return text === ABSENT ? null : text;
}

function artifactOf({ node, field }: Found): Artifact | undefined {
  const name = /^outputs\.artifacts\.([^.]+)$/.exec(field)?.[1];
  return name === undefined
    ? undefined
    : node?.outputs?.artifacts?.find((artifact) => artifact.name === name);
}

function textOf(found: Found): NameValue | undefined {
  const { draft, boundary, member, node, field } = found;
  if (isLoop(member.step) && field.startsWith('outputs.') && node?.type !== 'Skipped') {
    return aggregated(elementsOf(draft, boundary, member), field);
  }
  if (node === undefined) return undefined;
  const parameter = /^outputs\.parameters\.([^.]+)$/.exec(field)?.[1];
  if (parameter !== undefined) return parameterText(draft, node, parameter);
  switch (field) {
    case 'id':
      return node.id;
    case 'status':
      return node.phase;
    case 'startedAt':
      return node.startedAt;
    case 'finishedAt':
      return node.finishedAt;
    case 'hostNodeName':
      return node.hostNodeName;
    case 'ip':
      return ipOf(draft, node);
    case 'exitCode':
      return node.outputs?.exitCode;
    case 'outputs.result':
      return node.outputs?.result ?? (hasNotRun(node) ? ABSENT : undefined);
  }
  return undefined;
}

/** The daemon of a Retry node is its last attempt. */
function ipOf(draft: Draft, node: NodeStatus): string | undefined {
  const attempt = node.type === 'Retry' ? node.children?.at(-1) : undefined;
  return attempt === undefined ? node.podIP : draft.get(attempt)?.podIP;
}

function parameterText(draft: Draft, node: NodeStatus, name: string): NameValue | undefined {
  const given = node.outputs?.parameters?.find((parameter) => parameter.name === name);
  if (given?.value !== undefined) return given.value;
  if (!hasNotRun(node)) return undefined;
  return declaration(draft, node, name)?.valueFrom?.default ?? ABSENT;
}

function hasNotRun({ phase }: NodeStatus): boolean {
  return phase === 'Skipped' || phase === 'Omitted';
}

function declaration(draft: Draft, node: NodeStatus, name: string): Parameter | undefined {
  return templateOutputs(draft, node).find((parameter) => parameter.name === name);
}

function declaredOutputs(draft: Draft, node: NodeStatus | undefined): string[] {
  return node === undefined || !hasNotRun(node) ? [] : templateOutputs(draft, node).map(({ name }) => name);
}

function templateOutputs(draft: Draft, node: NodeStatus): readonly Parameter[] {
  const holder = {
    template: node.templateName ?? '',
    ...(node.templateRef && { templateRef: node.templateRef }),
  };
  try {
    const { template } = resolveTemplate(
      draft.run,
      draft.status.storedTemplates,
      holder,
      parseScope(node.templateScope, draft.workflowName),
    );
    return template.outputs?.parameters ?? [];
  } catch {
    // An inline template has no name to find it by; it declares no defaults that others could ask for.
    return [];
  }
}

/** Nodes of a loop in the order of their index. */
function elementsOf(draft: Draft, boundary: NodeStatus, { step, group }: Member): NodeStatus[] {
  const parent = draft.named(
    group === undefined ? `${boundary.name}.${step.name}` : `${boundary.name}[${group}]`,
  );
  const start = `${boundary.name}${group === undefined ? '' : `[${group}]`}.${step.name}(`;
  return (parent?.children ?? [])
    .map((id) => draft.get(id))
    .filter((node) => node !== undefined)
    .filter((node) => node.name.startsWith(start) && !node.nodeFlag?.hooked)
    .sort((a, b) => indexOf(a, start) - indexOf(b, start));
}

function indexOf({ name }: NodeStatus, start: string): number {
  return Number.parseInt(name.slice(start.length), 10);
}

function aggregated(elements: readonly NodeStatus[], field: string): string | undefined {
  const outputs = elements.filter(({ phase }) => phase === 'Succeeded').map((node) => node.outputs);
  if (field === 'outputs.result') {
    const results = outputs.map((output) => output?.result).filter((result) => result !== undefined);
    return results.length === 0 ? undefined : jsonList(results);
  }
  if (field === 'outputs.parameters') {
    return JSON.stringify(
      outputs.map((output) =>
        Object.fromEntries((output?.parameters ?? []).map(({ name, value = '' }) => [name, value])),
      ),
    );
  }
  const name = field.slice('outputs.parameters.'.length);
  const values = outputs.map(
    (output) => output?.parameters?.find((parameter) => parameter.name === name)?.value,
  );
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return known.every(isJsonObjectOrList) ? jsonList(known) : JSON.stringify(known);
}

/** Each text is JSON already; numbers keep the form in which they were printed. */
function jsonList(texts: readonly string[]): string {
  return `[${texts.map(compact).join(',')}]`;
}

/** @throws NodeError for a result that is no JSON */
function compact(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NodeError(jsonProblem(text), { cause });
  }
  return typeof value === 'object' ? JSON.stringify(value) : text.trim();
}

/**
 * The results of a loop are one list, so each of them has to be JSON.
 *
 * @throws NodeError for one that is not
 */
export function checkResults(nodes: readonly NodeStatus[]): void {
  for (const { phase, outputs } of nodes) {
    if (phase === 'Succeeded' && outputs?.result !== undefined) compact(outputs.result);
  }
}

function isJsonObjectOrList(text: string): boolean {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null;
}
