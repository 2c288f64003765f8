import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import { keyOf, locationOf } from '@turnsole/workflows/artifacts/location';
import { FUNCTIONS } from '@turnsole/workflows/engine/substitution/functions';
import { evaluateExpression } from '@turnsole/workflows/expression/evaluate';
import { newMap, toJson, type Value } from '@turnsole/workflows/expression/values';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { reportLine } from '@turnsole/workflows/pods/report';
import { openStore } from '../artifacts/open-store.ts';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';

/** Carries out a `data` template: lists the keys of a store, transforms the list, and prints it as the result. */
export async function runData({ node, artifacts, data }: NodeOrder, context: HelperContext): Promise<void> {
  if (artifacts.listed === undefined)
    throw new HelperError('data.source: only artifactPaths is known, and the template has none');
  const location = locationOf(artifacts.listed);
  if (location === undefined) throw new HelperError('data.source.artifactPaths has no location');
  const prefix = keyOf(location);
  let keys: string[];
  try {
    const store = await openStore(location, context);
    keys = await store.list(prefix, context.signal);
  } catch (cause) {
    context.signal.throwIfAborted();
    throw new HelperError(
      `data.source.artifactPaths: the keys below ${prefix || 'the store'} (${location.kind}) cannot be listed: ${messageOf(cause)}`,
      { cause },
    );
  }
  const result = transformed(keys, data?.transformation);
  context.print(reportLine({ node, outputs: { result }, isComplete: true }));
}

/** What the steps of a transformation make of a list, each of which sees what the one before it gave as `data`. Pure. @throws HelperError */
export function transformed(keys: readonly string[], transformation: unknown): string {
  let value: Value = keys;
  for (const [index, step] of (Array.isArray(transformation) ? transformation : []).entries()) {
    const expression = isObject(step) ? step['expression'] : undefined;
    if (typeof expression !== 'string')
      throw new HelperError(`data.transformation[${index}] has no expression, and nothing else is known`);
    try {
      value = evaluateExpression(expression, newMap([['data', value]]), { functions: FUNCTIONS });
    } catch (cause) {
      throw new HelperError(`data.transformation[${index}].expression: ${messageOf(cause)}`, { cause });
    }
  }
  return toJson(value) ?? 'null';
}
