import type { Template } from './template.ts';

/** The fields that say what kind of template it is, with the words by which Argo's sentences name the kinds. */
const TYPES = {
  container: 'Container',
  containerSet: 'ContainerSet',
  steps: 'Steps',
  script: 'Script',
  resource: 'Resource',
  dag: 'DAG',
  suspend: 'Suspend',
  data: 'Data',
  http: 'HTTP',
  plugin: 'Plugin',
} as const satisfies Partial<Record<keyof Template, string>>;

export type TemplateTypeField = keyof typeof TYPES;
type TemplateType = (typeof TYPES)[TemplateTypeField];

// The keys of a constant object.
export const TEMPLATE_TYPES = Object.keys(TYPES) as readonly TemplateTypeField[];

/** The types that a template has: exactly one where it is right. Pure. */
export function typesOf(template: Template): TemplateTypeField[] {
  return TEMPLATE_TYPES.filter((field) => template[field] !== undefined);
}

export function typeName(field: TemplateTypeField): TemplateType {
  return TYPES[field];
}
