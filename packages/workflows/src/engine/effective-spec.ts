import type { Arguments } from '../kinds/parameters.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import type { Facts } from './run.ts';
import { objectOf, scopeOf } from './templates.ts';

/**
 * The spec that a workflow runs: its own over that of the template it refers to. What was stored when it began wins, so that an edit of
 * the template does not reach it.
 *
 * @throws NodeError when the template is not there
 */
export function effectiveSpec({ spec, status }: Workflow, facts: Facts): WorkflowSpec {
  const ref = spec.workflowTemplateRef;
  if (ref === undefined) return spec;
  const stored = status?.storedWorkflowTemplateSpec;
  if (stored !== undefined) return { ...stored, ...controlsOf(spec) };
  const below = objectOf(facts, scopeOf(ref)).spec;
  const args = mergedArguments(below.arguments, spec.arguments);
  return {
    ...below,
    ...spec,
    ...(args && { arguments: args }),
    ...((below.hooks ?? spec.hooks) && { hooks: { ...below.hooks, ...spec.hooks } }),
  };
}

/** What clients change while it runs. */
function controlsOf({ suspend, shutdown, entrypoint }: WorkflowSpec): WorkflowSpec {
  return {
    ...(suspend !== undefined && { suspend }),
    ...(shutdown !== undefined && { shutdown }),
    ...(entrypoint !== undefined && { entrypoint }),
  };
}

/** Parameters and artifacts are merged by name; the workflow's own win. */
function mergedArguments(below: Arguments | undefined, above: Arguments | undefined): Arguments | undefined {
  if (below === undefined || above === undefined) return above ?? below;
  const parameters = byName(below.parameters, above.parameters);
  const artifacts = byName(below.artifacts, above.artifacts);
  return { ...(parameters.length > 0 && { parameters }), ...(artifacts.length > 0 && { artifacts }) };
}

function byName<T extends { readonly name: string }>(
  below: readonly T[] = [],
  above: readonly T[] = [],
): T[] {
  const names = new Set(above.map(({ name }) => name));
  return [...above, ...below.filter(({ name }) => !names.has(name))];
}
