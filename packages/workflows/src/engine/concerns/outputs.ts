import { toJson } from '../../expression/values.ts';
import type { Artifact, Outputs, Parameter } from '../../kinds/parameters.ts';
import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { Draft } from '../draft.ts';
import { NodeError } from '../node-error.ts';
import { computed, namesFor, tagIn } from '../resolve-step.ts';
import { locationOf } from '../substitution/bind-inputs.ts';
import { ABSENT } from '../substitution/names.ts';

type NamesOfBoundary = ReturnType<typeof namesFor>;

/** Outputs of a Steps or DAG node: taken of its members. @throws NodeError */
export function compositeOutputs(draft: Draft, node: NodeStatus, { outputs }: Template): Outputs | undefined {
  if (outputs === undefined) return undefined;
  const names = namesFor(draft, node);
  const parameters = outputs.parameters?.map((parameter) => parameterOf(draft, parameter, names));
  const artifacts = outputs.artifacts?.flatMap((artifact) => artifactOf(draft, artifact, names));
  return { ...(parameters && { parameters }), ...(artifacts && { artifacts }) };
}

function parameterOf(draft: Draft, parameter: Parameter, names: NamesOfBoundary): Parameter {
  const { valueFrom, ...rest } = parameter;
  if (valueFrom === undefined) return parameter;
  const value =
    valueFrom.expression === undefined
      ? named(valueFrom.parameter ?? '', names)
      : calculated(draft, valueFrom.expression, names);
  const given = value ?? valueFrom.default;
  if (given !== undefined) return { ...rest, value: given };
  throw new NodeError(
    valueFrom.expression === undefined
      ? `Unable to resolve: "${tagIn(valueFrom.parameter ?? '')}"`
      : `failed to evaluate expression: ${valueFrom.expression} gives no value, and the parameter has no default`,
  );
}

function named(tag: string, names: NamesOfBoundary): string | undefined {
  const value = names.get(tagIn(tag));
  if (value !== undefined) return value === ABSENT ? undefined : value;
  // An earlier pass has replaced it: it is no tag any more.
  return tag.includes('{{') ? undefined : tag;
}

function calculated(draft: Draft, expression: string, names: NamesOfBoundary): string | undefined {
  const value = computed(expression, names, draft.pass('last'));
  if (value === null) return undefined;
  return typeof value === 'string' ? value : toJson(value);
}

function artifactOf(draft: Draft, artifact: Artifact, names: NamesOfBoundary): Artifact[] {
  const { from, fromExpression, ...rest } = artifact;
  const source =
    fromExpression === undefined
      ? names.artifact(tagIn(from ?? ''))
      : // An expression of an artifact names one.
        (computed(fromExpression, names, draft.pass('last')) as Artifact | null);
  if (source !== undefined && source !== null) {
    const { path } = source;
    return [{ ...rest, ...(path !== undefined && { path }), ...locationOf(source) }];
  }
  if (artifact.optional === true) return [];
  throw new NodeError(`Unable to resolve: "${fromExpression ?? tagIn(from ?? '')}"`);
}
