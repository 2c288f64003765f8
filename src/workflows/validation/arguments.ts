import { ARTIFACT_LOCATIONS, type Arguments, type Artifact, type Parameter } from '../kinds/parameters.ts';
import { ARTIFACT_NAME, checkNames, PARAMETER_NAME, placedNames } from './field-names.ts';
import type { Problems } from './problem.ts';

/** Names of the parameters and artifacts of arguments, inputs or outputs. `path` is also how Argo names the place. */
export function checkArgumentNames(problems: Problems, args: Arguments | undefined, path: string): void {
  checkNames(problems, placedNames(args?.parameters, `${path}.parameters`), PARAMETER_NAME);
  checkNames(problems, placedNames(args?.artifacts, `${path}.artifacts`), ARTIFACT_NAME);
}

/** The workflow's own arguments have values: nothing else could give them. */
export function checkWorkflowArguments(
  problems: Problems,
  args: Arguments | undefined,
  isLibrary: boolean,
): void {
  for (const [index, parameter] of (args?.parameters ?? []).entries()) {
    const path = `spec.arguments.parameters[${index}]`;
    const where = `spec.arguments.${parameter.name}`;
    const isGiven = parameter.value !== undefined || parameter.valueFrom !== undefined;
    if (!isGiven && !isLibrary) problems.add(path, `${where}.value or ${where}.valueFrom is required`);
    checkValueFrom(problems, parameter, path, where);
    checkEnum(problems, parameter, path, where);
  }
}

/** Arguments of a step or task: each has a value or a place, and where a value may come from. */
export function checkCallArguments(
  problems: Problems,
  args: Arguments | undefined,
  path: string,
  where: string,
): void {
  checkArgumentNames(problems, args, path);
  for (const [index, artifact] of (args?.artifacts ?? []).entries())
    checkSource(problems, artifact, `${path}.artifacts[${index}]`, where);
  for (const [index, parameter] of (args?.parameters ?? []).entries()) {
    const argument = `${where}.arguments.${parameter.name}`;
    if (parameter.value === undefined && parameter.valueFrom === undefined)
      problems.add(`${path}.parameters[${index}]`, `${argument}.value or ${argument}.valueFrom is required`);
    checkValueFrom(
      problems,
      parameter,
      `${path}.parameters[${index}]`,
      `${where}.arguments.parameters.${parameter.name}`,
    );
  }
}

/** An artifact is taken from another one, or from a place. */
function checkSource(problems: Problems, artifact: Artifact, path: string, where: string): void {
  const { from = '', fromExpression = '', name } = artifact;
  const hasPlace = ARTIFACT_LOCATIONS.some((location) => artifact[location] !== undefined);
  if (from === '' && fromExpression === '' && !hasPlace)
    problems.add(path, `${where}.arguments.${name}.from, artifact location, or key is required`);
  if (from !== '' && fromExpression !== '')
    problems.add(
      path,
      `${where}.arguments.${name} shouldn't have both \`from\` and \`fromExpression\` in Artifact`,
    );
}

function checkValueFrom(problems: Problems, parameter: Parameter, path: string, where: string): void {
  const { valueFrom } = parameter;
  if (valueFrom === undefined) return;
  const { configMapKeyRef, supplied } = valueFrom;
  if (configMapKeyRef === undefined && supplied === undefined && valueFrom.default === undefined)
    problems.add(
      `${path}.valueFrom`,
      `${where}.valueFrom only allows: default, configMapKeyRef and supplied`,
    );
}

function checkEnum(problems: Problems, parameter: Parameter, path: string, where: string): void {
  const { value } = parameter;
  if (parameter.enum === undefined) return;
  if (parameter.enum.length === 0)
    problems.add(`${path}.enum`, `${where}.enum should contain at least one value`);
  else if (value !== undefined && !value.includes('{{') && !parameter.enum.includes(value))
    problems.add(`${path}.value`, `${where}.value should be present in ${where}.enum list`);
}
