import { toJson } from '../expression/values.ts';
import type { LabelsAndAnnotations } from '../kinds/workflow.ts';
import { NodeError } from './node-error.ts';
import type { Run } from './run.ts';
import { globalNames } from './substitution/globals.ts';
import { namesOf } from './substitution/names.ts';
import { evaluate } from './substitution/render.ts';

/**
 * Labels and annotations that a workflow gives itself when it begins (`spec.workflowMetadata`), those of expressions among them. Pure.
 *
 * @throws NodeError · ExpressionError for a label whose expression gives no text
 */
export function workflowMetadata(run: Run, now: number): LabelsAndAnnotations {
  const { labels, annotations, labelsFrom = {} } = run.spec.workflowMetadata ?? {};
  const names = namesOf(globalNames({ ...run, parameters: run.parameters.values }, run.status, now));
  const evaluated = Object.entries(labelsFrom).map(([label, { expression }]): [string, string] => {
    const value = evaluate(expression, names, { random: run.options.random, now });
    if (typeof value === 'string') return [label, value];
    throw new NodeError(
      `failed to evaluate label "${label}" expression "${expression}" evaluated to ${toJson(value)} but must be a string`,
    );
  });
  return {
    ...((labels ?? evaluated.length > 0) && { labels: { ...labels, ...Object.fromEntries(evaluated) } }),
    ...(annotations && { annotations }),
  };
}
