import type { Template } from '../kinds/template.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import { Scope } from './scope.ts';

/** Names of labels and annotations. */
export interface MetadataNames {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/**
 * Names that tags may use everywhere. Of a library any parameter of the workflow: it comes with the
 * workflow that uses it. Outputs of templates of other objects come late; names of those are not held against a workflow.
 */
export function globalScope(spec: WorkflowSpec, metadata: MetadataNames, isLibrary = false): Scope {
  const { arguments: args, templates: own = [] } = spec;
  const templates = own.flatMap(withInline);
  const late = [
    'creationTimestamp',
    'scheduledTime',
    'duration',
    ...(isLibrary ? ['parameters'] : []),
    ...(templates.some((template) => refersToOthers(template) || hasNamesAtRunTime(template))
      ? ['outputs.']
      : []),
  ];
  const parameters = (args?.parameters ?? []).map(({ name }) => `parameters.${name}`);
  const names = [
    ...FIXED,
    ...(isLibrary || hasExitHandler(spec) ? ['failures'] : []),
    ...(parameters.length > 0 ? ['parameters', 'parameters.json'] : []),
    ...(spec.priority === undefined ? [] : ['priority']),
    ...parameters,
    ...metadata.labels.map((name) => `labels.${name}`),
    ...metadata.annotations.map((name) => `annotations.${name}`),
    ...templates.flatMap(globalOutputs),
  ];
  return new Scope(
    names.map((name) => `workflow.${name}`),
    late.map((prefix) => `workflow.${prefix}`),
  );
}

/** Only what runs at the end knows what has failed. */
function hasExitHandler({ onExit = '', hooks }: WorkflowSpec): boolean {
  return onExit !== '' || hooks?.['exit'] !== undefined;
}

/** A template, and those that stand within its steps and tasks. */
function withInline(template: Template): Template[] {
  const calls = [...listOf(template.steps).flat(), ...listOf(template.dag?.tasks)];
  return [template, ...calls.flatMap(({ inline }) => (inline === undefined ? [] : withInline(inline)))];
}

/** Decoding keeps what it cannot read. */
function listOf<T>(list: readonly T[] | undefined): readonly T[] {
  return Array.isArray(list) ? list : [];
}

/** Whether an output of the workflow gets its name only when the template runs. */
function hasNamesAtRunTime({ outputs }: Template): boolean {
  return [...(outputs?.parameters ?? []), ...(outputs?.artifacts ?? [])].some(
    ({ globalName }) => globalName?.includes('{{') === true,
  );
}

function refersToOthers({ steps, dag }: Template): boolean {
  return [...listOf(steps).flat(), ...listOf(dag?.tasks)].some(
    ({ templateRef }) => templateRef !== undefined,
  );
}

function globalOutputs({ outputs }: Template): string[] {
  const { parameters = [], artifacts = [] } = outputs ?? {};
  return [
    ...parameters.map(({ globalName = '' }) => `outputs.parameters.${globalName}`),
    ...artifacts.map(({ globalName = '' }) => `outputs.artifacts.${globalName}`),
  ];
}

const FIXED = [
  'name',
  'namespace',
  'uid',
  'serviceAccountName',
  'mainEntrypoint',
  'status',
  'labels',
  'labels.json',
  'annotations',
  'annotations.json',
];
