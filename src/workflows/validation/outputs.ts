import type { Parameter, ValueFrom } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import { type TemplateTypeField, typeName } from '../kinds/template-type.ts';
import { checkArgumentNames } from './arguments.ts';
import type { Problems } from './problem.ts';

type SourceField = 'path' | 'jqFilter' | 'jsonPath' | 'parameter' | 'expression';

/** The sources that an output parameter can be read from, by kind of template; other kinds do not care. */
const SOURCES: Partial<Record<TemplateTypeField, readonly SourceField[]>> = {
  container: ['path'],
  containerSet: ['path'],
  script: ['path'],
  resource: ['jqFilter', 'jsonPath'],
  steps: ['parameter', 'expression'],
  dag: ['parameter', 'expression'],
};

const ALL_SOURCES: readonly (keyof ValueFrom)[] = [
  'path',
  'jqFilter',
  'jsonPath',
  'parameter',
  'expression',
  'supplied',
  'event',
];

/** Outputs that a template declares: names, and where each value comes from. */
export function checkOutputs(
  problems: Problems,
  template: Template,
  type: TemplateTypeField,
  path: string,
): void {
  checkArgumentNames(problems, template.outputs, `${path}.outputs`);
  for (const [index, parameter] of (template.outputs?.parameters ?? []).entries()) {
    checkSource(problems, parameter, type, {
      path: `${path}.outputs.parameters[${index}]`,
      where: `templates.${template.name ?? ''}.outputs.parameters.${parameter.name}`,
    });
  }
}

function checkSource(
  problems: Problems,
  parameter: Parameter,
  type: TemplateTypeField,
  place: { readonly path: string; readonly where: string },
): void {
  const { path, where } = place;
  const { valueFrom } = parameter;
  if (valueFrom === undefined) {
    if (type !== 'suspend' && parameter.value === undefined)
      problems.add(path, `${where}.valueFrom not specified`);
    return;
  }
  const found = ALL_SOURCES.filter((field) => valueFrom[field] !== undefined);
  const choice = 'choose one of: path, jqFilter, jsonPath, parameter, raw, expression';
  if (found.length > 1) problems.add(path, `${where} multiple valueFrom types specified. ${choice}`);
  const wanted = SOURCES[type];
  if (wanted === undefined || wanted.some((field) => valueFrom[field] !== undefined)) return;
  if (found.length === 0 && valueFrom.default === undefined)
    problems.add(path, `${where} valueFrom type unspecified. ${choice}`);
  else
    problems.add(path, `${where}.${wanted.join(' or ')} must be specified for ${typeName(type)} templates`);
}
