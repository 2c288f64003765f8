import type { Outputs } from '../../kinds/parameters.ts';
import type { Draft } from '../draft.ts';

/** Takes outputs with a global name into the status of the workflow. Later nodes win. */
export function exportOutputs(draft: Draft, outputs: Outputs | undefined): void {
  const parameters = (outputs?.parameters ?? [])
    .filter(isNamed)
    .map(({ globalName, value, description }) => ({
      name: globalName,
      ...(value !== undefined && { value }),
      ...(description !== undefined && { description }),
    }));
  const artifacts = (outputs?.artifacts ?? [])
    .filter(isNamed)
    .map(({ globalName, path: _path, ...artifact }) => ({
      ...artifact,
      name: globalName,
    }));
  if (parameters.length + artifacts.length === 0) return;
  const known = draft.status.outputs;
  draft.setStatus({
    outputs: {
      ...known,
      ...(parameters.length > 0 && { parameters: merged(known?.parameters ?? [], parameters) }),
      ...(artifacts.length > 0 && { artifacts: merged(known?.artifacts ?? [], artifacts) }),
    },
  });
}

function isNamed<T extends { readonly globalName?: string }>(
  output: T,
): output is T & { globalName: string } {
  return output.globalName !== undefined && output.globalName !== '';
}

function merged<T extends { readonly name: string }>(known: readonly T[], added: readonly T[]): T[] {
  const byName = new Map([...known, ...added].map((output) => [output.name, output]));
  return [...byName.values()];
}
