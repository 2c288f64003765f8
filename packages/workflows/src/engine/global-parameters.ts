import { ExpressionError } from '../expression/errors.ts';
import type { Parameter } from '../kinds/parameters.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import { withReference } from './substitution/bind-inputs.ts';
import { globalNames } from './substitution/globals.ts';
import { type Names, namesOf } from './substitution/names.ts';
import { type PassOptions, substitute } from './substitution/render.ts';

/** The workflow's own parameters, or why they cannot be evaluated. */
export interface GlobalParameters {
  readonly values: readonly Parameter[];
  readonly problem?: string;
}

type ConfigMaps = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Takes values from ConfigMaps and replaces global names in them. */
export function resolveParameters(
  workflow: Workflow,
  spec: WorkflowSpec,
  maps: ConfigMaps,
  context: Pick<PassOptions, 'random' | 'now'>,
): GlobalParameters {
  const values: Parameter[] = [];
  const namesSoFar = (): Names =>
    namesOf(globalNames({ workflow, spec, parameters: values }, { phase: '' }, context.now));
  const options = { ...context, pass: 'later' } as const;
  for (const given of spec.arguments?.parameters ?? []) {
    // The ConfigMap may be named by parameters that stand before this one.
    const parameter = given.value === undefined ? withReference(given, namesSoFar, options) : given;
    const value = parameter.value ?? fromConfigMap(parameter, maps);
    if (value === undefined && parameter.valueFrom?.configMapKeyRef !== undefined) {
      return { values, problem: missingText(parameter, maps) };
    }
    values.push(value === undefined ? parameter : { ...parameter, value });
  }
  try {
    return { values: substitute(values, namesSoFar(), options) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { values, problem: error.message };
  }
}

function fromConfigMap({ valueFrom }: Parameter, maps: ConfigMaps): string | undefined {
  const ref = valueFrom?.configMapKeyRef;
  return (ref && maps.get(ref.name)?.[ref.key]) ?? valueFrom?.default;
}

function missingText({ name, valueFrom }: Parameter, maps: ConfigMaps): string {
  const ref = valueFrom?.configMapKeyRef;
  const start = `failed to set global parameter ${name} from configmap with name ${ref?.name} and key ${ref?.key}: `;
  return maps.has(ref?.name ?? '')
    ? `${start}ConfigMap '${ref?.name}' does not have the key '${ref?.key}'`
    : `${start}ConfigMap '${ref?.name}' does not exist. Please make sure it has the label workflows.argoproj.io/configmap-type: Parameter to be detectable by the controller`;
}
