import type { Template } from '../kinds/template.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import { Scope } from './scope.ts';

/**
 * Names that tags may use everywhere (spec/workflow.md 4.3, global). Labels and annotations may come late, from
 * `workflowMetadata`, and so do outputs of templates of other objects; names of those are not held against a workflow.
 */
export function globalScope({ arguments: args, templates = [] }: WorkflowSpec): Scope {
  const late = [
    'creationTimestamp.',
    'labels.',
    'annotations.',
    ...(templates.some(refersToOthers) ? ['outputs.'] : []),
  ];
  const parameters = (args?.parameters ?? []).map(({ name }) => `parameters.${name}`);
  const names = [...FIXED, ...parameters, ...templates.flatMap(globalOutputs)];
  return new Scope(
    names.map((name) => `workflow.${name}`),
    late.map((prefix) => `workflow.${prefix}`),
  );
}

function refersToOthers({ steps, dag }: Template): boolean {
  return [...(steps ?? []).flat(), ...(dag?.tasks ?? [])].some(
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
  'priority',
  'creationTimestamp',
  'scheduledTime',
  'duration',
  'status',
  'failures',
  'parameters',
  'parameters.json',
  'labels',
  'labels.json',
  'annotations',
  'annotations.json',
];
