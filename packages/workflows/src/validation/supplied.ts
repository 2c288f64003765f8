import { saysWhere } from '../artifacts/location.ts';
import type { Arguments, Parameter } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';

/** Sentences about the inputs that a call leaves without a value. Pure. */
export function missingInputs(template: Template, args: Arguments | undefined): string[] {
  const given = new Set(args?.parameters?.map(({ name }) => name));
  const givenArtifacts = new Set(args?.artifacts?.map(({ name }) => name));
  return [
    ...(template.inputs?.parameters ?? [])
      .filter((parameter) => !given.has(parameter.name) && !hasOwnValue(parameter))
      .map(({ name }) => `inputs.parameters.${name} was not supplied`),
    ...(template.inputs?.artifacts ?? [])
      .filter(
        (artifact) =>
          !givenArtifacts.has(artifact.name) && artifact.optional !== true && !saysWhere(artifact),
      )
      .map(({ name }) => `inputs.artifacts.${name} was not supplied`),
  ];
}

function hasOwnValue({ value, valueFrom, ...parameter }: Parameter): boolean {
  return value !== undefined || valueFrom !== undefined || parameter.default !== undefined;
}
