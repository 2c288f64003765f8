import { saysWhere } from '../artifacts/location.ts';
import type { Arguments, Artifact, Parameter } from '../kinds/parameters.ts';
import { ARTIFACT_NAME, checkNames, PARAMETER_NAME, placedNames } from './field-names.ts';
import type { ProblemSink } from './problem.ts';

/** Names of the parameters and artifacts of arguments, inputs or outputs. `where` is how Argo names the place. */
export function checkArgumentNames(
  problems: ProblemSink,
  args: Arguments | undefined,
  path: string,
  where = path,
): void {
  const { parameters, artifacts } = args ?? {};
  checkNames(problems, placedNames(parameters, `${path}.parameters`, `${where}.parameters`), PARAMETER_NAME);
  checkNames(problems, placedNames(artifacts, `${path}.artifacts`, `${where}.artifacts`), ARTIFACT_NAME);
}

/** The workflow's own arguments: of a library, or a manifest that is only looked at, values may come later. */
export function checkWorkflowArguments(
  problems: ProblemSink,
  args: Arguments | undefined,
  mayBeEmpty: boolean,
): void {
  checkValues(problems, args, { path: 'spec.arguments', where: 'spec.arguments', mayBeEmpty });
}

/** Arguments of a step or task: each has a value or a place, and where a value may come from. */
export function checkCallArguments(
  problems: ProblemSink,
  args: Arguments | undefined,
  path: string,
  where: string,
): void {
  checkArgumentNames(problems, args, path, `${where}.arguments`);
  checkValues(problems, args, { path, where: `${where}.arguments`, mayBeEmpty: false });
}

interface ArgumentsPlace {
  readonly path: string;
  /** The same in Argo's words. */
  readonly where: string;
  readonly mayBeEmpty: boolean;
}

function checkValues(
  problems: ProblemSink,
  args: Arguments | undefined,
  { path, where, mayBeEmpty }: ArgumentsPlace,
): void {
  for (const [index, parameter] of (args?.parameters ?? []).entries()) {
    const place = { path: `${path}.parameters[${index}]`, where: `${where}.${parameter.name}`, mayBeEmpty };
    checkValue(problems, parameter, place);
    checkValueFrom(problems, parameter, place);
    checkEnum(problems, parameter, place);
  }
  for (const [index, artifact] of (args?.artifacts ?? []).entries())
    checkSource(problems, artifact, `${path}.artifacts[${index}]`, `${where}.${artifact.name}`);
}

function checkValue(
  problems: ProblemSink,
  { value, valueFrom }: Parameter,
  { path, where, mayBeEmpty }: ArgumentsPlace,
): void {
  if (value === undefined && valueFrom === undefined && !mayBeEmpty)
    problems.add(path, `${where}.value or ${where}.valueFrom is required`);
}

/** An artifact is taken from another one, or from a place. */
function checkSource(problems: ProblemSink, artifact: Artifact, path: string, where: string): void {
  const { from = '', fromExpression = '' } = artifact;
  if (from === '' && fromExpression === '' && !saysWhere(artifact))
    problems.add(path, `${where}.from, artifact location, or key is required`);
  if (from !== '' && fromExpression !== '')
    problems.add(path, `${where} shouldn't have both \`from\` and \`fromExpression\` in Artifact`);
}

/** Sources that only outputs have. */
const OF_OUTPUTS = ['path', 'jsonPath', 'parameter', 'expression'] as const;

function checkValueFrom(
  problems: ProblemSink,
  { valueFrom }: Parameter,
  { path, where }: ArgumentsPlace,
): void {
  if (valueFrom === undefined) return;
  const { configMapKeyRef, supplied, event = '' } = valueFrom;
  const hasSource = configMapKeyRef !== undefined || supplied !== undefined || event !== '';
  if (!hasSource || OF_OUTPUTS.some((field) => (valueFrom[field] ?? '') !== ''))
    problems.add(
      `${path}.valueFrom`,
      `${where}.valueFrom only allows: default, configMapKeyRef and supplied`,
    );
}

function checkEnum(
  problems: ProblemSink,
  { value, valueFrom, enum: members }: Parameter,
  { path, where, mayBeEmpty }: ArgumentsPlace,
): void {
  if (members === undefined) return;
  if (members.length === 0) problems.add(`${path}.enum`, `${where}.enum should contain at least one value`);
  else if (value === undefined) {
    if (valueFrom !== undefined && !mayBeEmpty) problems.add(`${path}.value`, `${where}.value is required`);
  } else if (!value.includes('{{') && !members.includes(value))
    problems.add(`${path}.value`, `${where}.value should be present in ${where}.enum list`);
}
