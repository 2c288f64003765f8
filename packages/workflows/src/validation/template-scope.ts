import { isObject } from '@turnsole/kube/text/json';
import type { Template, WorkflowStep } from '../kinds/template.ts';
import { typesOf } from '../kinds/template-type.ts';
import { type FOUND_LATER, type FoundTemplate, isFound } from './library.ts';
import type { Scope } from './scope.ts';

/** Names that a template's own tags may use beside the global ones. Pure. */
export function templateScope(globals: Scope, template: Template): Scope {
  const { inputs, outputs } = template;
  const parameters = (inputs?.parameters ?? []).map(({ name }) => `inputs.parameters.${name}`);
  const artifacts = (inputs?.artifacts ?? []).flatMap(({ name }) => [
    `inputs.artifacts.${name}`,
    `inputs.artifacts.${name}.path`,
  ]);
  const paths = [
    ...(outputs?.parameters ?? []).map(({ name }) => `outputs.parameters.${name}.path`),
    ...(outputs?.artifacts ?? []).map(({ name }) => `outputs.artifacts.${name}.path`),
  ];
  const own = ['inputs.parameters', 'node.name', 'steps.name', 'tasks.name'];
  if (typesOf(template).some((type) => WITH_POD.has(type))) own.push('pod.name');
  // Metrics may name any output of the template that they stand in.
  return globals.with([...own, ...parameters, ...artifacts, ...paths], ['outputs.']);
}

const WITH_POD = new Set(['container', 'script', 'containerSet', 'resource', 'data']);
/** Kinds of templates whose nodes have a captured result. */
const WITH_RESULT = new Set(['container', 'script', 'containerSet', 'http', 'data', 'plugin']);
const WITH_EXIT_CODE = new Set(['container', 'script', 'containerSet']);

/** Names by which later steps or tasks may refer to one; without a template (it cannot be found), any. Pure. */
export function resultNames(
  prefix: string,
  found: FoundTemplate | string | typeof FOUND_LATER,
  hasList: boolean,
): { readonly names: readonly string[]; readonly prefixes: readonly string[] } {
  if (!isFound(found)) return { names: [], prefixes: [`${prefix}.`] };
  const { template } = found;
  const types = typesOf(template);
  const fields = ['id', 'status', 'startedAt', 'finishedAt', 'hostNodeName'];
  if (template.daemon === true) fields.push('ip');
  if (types.some((type) => WITH_RESULT.has(type))) fields.push('outputs.result');
  if (types.some((type) => WITH_EXIT_CODE.has(type))) fields.push('exitCode');
  if (hasList) fields.push('outputs.parameters');
  for (const { name } of template.outputs?.parameters ?? []) fields.push(`outputs.parameters.${name}`);
  for (const { name } of template.outputs?.artifacts ?? []) fields.push(`outputs.artifacts.${name}`);
  return { names: fields.map((field) => `${prefix}.${field}`), prefixes: [] };
}

/** Whether the outputs of all elements of a loop can be named as one list: those of a sequence cannot. */
export function hasOutputList({ withItems = [], withParam = '' }: WorkflowStep): boolean {
  return withItems.length > 0 || withParam !== '';
}

/** Names of parts of the element that a loop is at; of a list that is known in the run only, any. */
export function elementNames({ withItems = [], withParam = '' }: WorkflowStep): {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
} {
  const keys = withItems.flatMap((item) =>
    Array.isArray(item) ? item.map((_, index) => `[${index}]`) : isObject(item) ? Object.keys(item) : [],
  );
  return { names: keys.map((key) => `item.${key}`), prefixes: withParam === '' ? [] : ['item.'] };
}
