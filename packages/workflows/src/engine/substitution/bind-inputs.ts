import { ExpressionError } from '../../expression/errors.ts';
import {
  ARTIFACT_LOCATIONS,
  type Arguments,
  type Artifact,
  type Inputs,
  type Parameter,
  type ValueFrom,
} from '../../kinds/parameters.ts';
import type { Template } from '../../kinds/template.ts';
import { layered, type Names, namesOf } from './names.ts';
import { type PassOptions, substitute } from './render.ts';

/** Reads a parameter from a ConfigMap; undefined when it is not there. */
type ReadConfigMap = (name: string, key: string) => string | undefined;

/**
 * A template with its inputs and everything that follows from them: the first pass replaces global names and those of the node, the
 * second also those of the inputs, so that a value may hold tags of global names.
 *
 * @throws ExpressionError
 */
export function bindTemplate(
  template: Template,
  args: Arguments | undefined,
  names: Names,
  { readConfigMap, ...options }: PassOptions & { readonly readConfigMap: ReadConfigMap },
): Template {
  const known = (): Names => layered(namesOf(inputNames({ inputs: args ?? {} })), names);
  const refer = (parameter: Parameter): Parameter => withReference(parameter, known, options);
  const first = substitute(withInputs(template, args, refer, readConfigMap), names, options);
  return substitute(first, layered(namesOf(inputNames(first)), names), options);
}

function withInputs(
  template: Template,
  args: Arguments | undefined,
  refer: (parameter: Parameter) => Parameter,
  read: ReadConfigMap,
): Template {
  if (template.inputs === undefined) return template;
  const { parameters, artifacts } = template.inputs;
  const inputs: { -readonly [K in keyof Inputs]: Inputs[K] } = {};
  if (parameters !== undefined)
    inputs.parameters = parameters.map((input) => withValue(refer(input), args, read));
  if (artifacts !== undefined) inputs.artifacts = artifacts.flatMap((input) => withLocation(input, args));
  return { ...template, inputs };
}

/** Tags in the name and key of a ConfigMap may name what is known before the inputs are: global names and what the caller gives. */
export function withReference(parameter: Parameter, names: () => Names, options: PassOptions): Parameter {
  const { valueFrom } = parameter;
  if (valueFrom?.configMapKeyRef === undefined) return parameter;
  const configMapKeyRef = substitute(valueFrom.configMapKeyRef, names(), options);
  return { ...parameter, valueFrom: { ...valueFrom, configMapKeyRef } };
}

/** An argument beats the template's own value, which beats its default. */
function withValue(input: Parameter, args: Arguments | undefined, read: ReadConfigMap): Parameter {
  const argument = args?.parameters?.find(({ name }) => name === input.name);
  if (argument?.valueFrom?.default === ABSENT_ARGUMENT) return { ...input, value: defaultOf(input) };
  const value =
    argument?.value ??
    fromConfigMap(argument, read) ??
    input.value ??
    fromConfigMap(input, read) ??
    input.default;
  const { configMapKeyRef } = argument?.valueFrom ?? {};
  if (value !== undefined)
    return { ...input, value, ...(configMapKeyRef && { valueFrom: { configMapKeyRef } }) };
  if (input.valueFrom?.supplied !== undefined) return input;
  const missing = configMapKeyRef ?? input.valueFrom?.configMapKeyRef;
  throw new ExpressionError(
    missing === undefined
      ? `inputs.parameters.${input.name} was not supplied`
      : `unable to retrieve inputs.parameters.${input.name} from ConfigMap: ${notThere(missing)}`,
  );
}

/** Stands for an argument that refers to an output which does not exist. */
export const ABSENT_ARGUMENT = '\u0000absent';

function defaultOf({ name, value, default: fallback }: Parameter): string {
  const text = value ?? fallback;
  if (text !== undefined) return text;
  throw new ExpressionError(
    `inputs.parameters.${name}: argument references an absent optional (skipped/omitted node output with no default)`,
  );
}

function notThere({ name, key }: NonNullable<ValueFrom['configMapKeyRef']>): string {
  return `there is no ConfigMap ${JSON.stringify(name)} with the label workflows.argoproj.io/configmap-type: Parameter and the key ${JSON.stringify(key)}`;
}

function fromConfigMap(parameter: Parameter | undefined, read: ReadConfigMap): string | undefined {
  const { configMapKeyRef: ref, default: fallback } = parameter?.valueFrom ?? {};
  if (ref === undefined) return fallback;
  return read(ref.name, ref.key) ?? fallback;
}

function withLocation(input: Artifact, args: Arguments | undefined): Artifact[] {
  const argument = args?.artifacts?.find(({ name }) => name === input.name);
  if (argument !== undefined && hasLocation(argument)) return [{ ...input, ...locationOf(argument) }];
  if (hasLocation(input)) return [input];
  if (input.optional === true) return [input];
  throw new ExpressionError(`inputs.artifacts.${input.name} was not supplied`);
}

function hasLocation(artifact: Artifact): boolean {
  return (
    ARTIFACT_LOCATIONS.some((location) => artifact[location] !== undefined) ||
    artifact['archiveLogs'] !== undefined
  );
}

/** Where an artifact is, without its writer's facts about the file. */
export function locationOf(artifact: Artifact): Partial<Artifact> {
  return Object.fromEntries(
    ARTIFACT_LOCATIONS.filter((location) => artifact[location] !== undefined).map((location) => [
      location,
      artifact[location],
    ]),
  );
}

/** Names of inputs and of the paths of inputs and outputs. */
export function inputNames({ inputs, outputs }: Pick<Template, 'inputs' | 'outputs'>): Map<string, string> {
  const names = new Map<string, string>();
  const parameters = inputs?.parameters ?? [];
  for (const { name, value } of parameters)
    if (value !== undefined) names.set(`inputs.parameters.${name}`, value);
  names.set('inputs.parameters', JSON.stringify(parameters));
  for (const { name, path } of inputs?.artifacts ?? [])
    if (path !== undefined) names.set(`inputs.artifacts.${name}.path`, path);
  for (const { name, path } of outputs?.artifacts ?? [])
    if (path !== undefined) names.set(`outputs.artifacts.${name}.path`, path);
  for (const { name, valueFrom } of outputs?.parameters ?? []) {
    if (valueFrom?.path !== undefined) names.set(`outputs.parameters.${name}.path`, valueFrom.path);
  }
  return names;
}
