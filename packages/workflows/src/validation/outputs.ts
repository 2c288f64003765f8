import type { Parameter } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import { type TemplateTypeField, typeName } from '../kinds/template-type.ts';
import { checkArgumentNames } from './arguments.ts';
import { PARAMETER_NAME } from './field-names.ts';
import type { ProblemSink } from './problem.ts';

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

const ALL_SOURCES = ['path', 'jqFilter', 'jsonPath', 'parameter', 'expression', 'supplied'] as const;

/** Names that the workflow gives outputs. */
const GLOBAL_NAME = /^[-a-zA-Z0-9_]+$/;

/** Outputs that a template declares: names, and where each value comes from. */
export function checkOutputs(
  problems: ProblemSink,
  template: Template,
  type: TemplateTypeField,
  path: string,
): void {
  const where = `templates.${template.name ?? ''}.outputs`;
  checkArgumentNames(problems, template.outputs, `${path}.outputs`, where);
  for (const [index, parameter] of (template.outputs?.parameters ?? []).entries()) {
    const place = {
      path: `${path}.outputs.parameters[${index}]`,
      where: `${where}.parameters.${parameter.name}`,
    };
    checkSource(problems, parameter, type, place);
    checkGlobalName(problems, parameter, place);
  }
  for (const [index, artifact] of (template.outputs?.artifacts ?? []).entries())
    checkGlobalName(problems, artifact, {
      path: `${path}.outputs.artifacts[${index}]`,
      where: `${where}.artifacts.${artifact.name}`,
    });
}

function checkSource(
  problems: ProblemSink,
  parameter: Parameter,
  type: TemplateTypeField,
  { path, where }: { readonly path: string; readonly where: string },
): void {
  const { value, valueFrom } = parameter;
  if (valueFrom === undefined) {
    if (value === undefined) problems.add(path, `${where} does not have valueFrom or value specified`);
    return;
  }
  if (value !== undefined) {
    problems.add(path, `${where} has both valueFrom and value specified, choose one`);
    return;
  }
  const found = ALL_SOURCES.filter((field) => (valueFrom[field] ?? '') !== '');
  const choice = 'choose one of: path, jqFilter, jsonPath, parameter, raw';
  if (found.length === 0) problems.add(path, `valueFrom type unspecified. ${choice}, expression`);
  if (found.length > 1) problems.add(path, `multiple valueFrom types specified. ${choice}`);
  const wanted = SOURCES[type];
  if (found.length === 0 || wanted === undefined) return;
  if (!wanted.some((field) => found.includes(field)))
    problems.add(path, `${where}.${wanted.join(' or ')} must be specified for ${typeName(type)} templates`);
}

/** Tags in a name are filled in before it is used. */
function checkGlobalName(
  problems: ProblemSink,
  { globalName = '' }: { readonly globalName?: string },
  { path, where }: { readonly path: string; readonly where: string },
): void {
  if (globalName === '' || globalName.includes('{{') || GLOBAL_NAME.test(globalName)) return;
  problems.add(`${path}.globalName`, `${where}.globalName: ${PARAMETER_NAME.sentence}`);
}
