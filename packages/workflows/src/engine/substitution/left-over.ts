import { isObject } from '@turnsole/kube/text/json';
import { ExpressionError } from '../../expression/errors.ts';
import { scanTags } from '../../expression/tags/scan.ts';
import type { Template } from '../../kinds/template.ts';
import { namesOfExpression } from './render.ts';

/** Roots of names that workflows have. Expressions with other names may be meant for a program in the container. */
const OWN = /^(?:item|steps|tasks|inputs|outputs|pod|node|workflow|retries|lastRetry)(?:\.|$)/;

/**
 * The first expression tag in the texts of a value that names something of the workflow, and so was to be replaced: `{{=item.x}}`.
 * Pure.
 */
export function leftOverExpression(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('{{=') ? leftOverIn(value) : undefined;
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  for (const field of Object.values(value)) {
    const found = leftOverExpression(field);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same of everything in a template that a program reads. A manifest may hold another workflow, whose tags are its own. */
export function leftOverInTemplate(template: Template): string | undefined {
  const { container, script, containerSet, data, http, plugin, suspend } = template;
  const { initContainers, sidecars, volumes, inputs } = template;
  const artifacts = inputs?.artifacts;
  return leftOverExpression([
    [container, script, containerSet, data, http, plugin, suspend],
    [initContainers, sidecars, volumes, artifacts],
  ]);
}

function leftOverIn(text: string): string | undefined {
  try {
    const found = scanTags(text).find((piece) => piece.kind === 'expression' && isOwn(piece.body));
    return found?.kind === 'expression' ? `{{=${found.body}}}` : undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

function isOwn(expression: string): boolean {
  return [...namesOfExpression(expression)].some((name) => OWN.test(name));
}
