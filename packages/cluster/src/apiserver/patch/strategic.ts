/** Strategic merge patches of built-in kinds: the schema says which lists are merged, the rule is `text/strategic-merge.ts`. */

import { type MergeRule, structOf, type Type } from '@turnsole/kube/schema/kubernetes/types';
import {
  type MergeField,
  type MergeShape,
  MissingKeyError,
  mergeStrategically,
  PLAIN,
  StrategicMergeError,
} from '@turnsole/kube/text/strategic-merge';
import { isJson, type Json } from '../object.ts';
import { PatchError } from './json-patch.ts';

/** An item of a list that is merged by a key lacks that key. */
export class MergeKeyError extends PatchError {}

/** A map as Go prints it: `map[image:x name:y]`. */
function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (!isJson(value)) return String(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goMap(value[key])}`);
  return `map[${pairs.join(' ')}]`;
}

/**
 * The document with the patch merged in. `typeName` is the generated type of the document. Inputs are not changed;
 * unchanged parts are shared with the document. Throws {@link PatchError}.
 */
export function applyStrategicPatch(document: Json, patch: unknown, typeName: string): Json {
  if (!isJson(patch)) throw new PatchError('cannot unmarshal a patch that is no object', true);
  try {
    return mergeStrategically(document, patch, shapeOf({ kind: 'struct', name: typeName }));
  } catch (error) {
    if (error instanceof MissingKeyError) {
      const key = error.keys.join();
      throw new MergeKeyError(`map: ${goMap(error.item)} does not contain declared merge key: ${key}`);
    }
    // The real server does not say where.
    if (error instanceof StrategicMergeError) throw new PatchError(error.problem, true);
    throw error;
  }
}

function shapeOf(type: Type | undefined): MergeShape {
  if (type?.kind === 'map') {
    const field: MergeField = { list: 'replaced', isReplaced: false, shape: shapeOf(type.of) };
    return { field: () => field, whole: PLAIN };
  }
  if (type?.kind !== 'struct') return PLAIN;
  const fields = structOf(type.name)?.fields;
  return {
    field: (name) => {
      const field = fields?.get(name);
      return field === undefined ? PLAIN.field(name) : fieldOf(field.type, field.rule);
    },
    whole: PLAIN,
  };
}

function fieldOf(type: Type, { strategies, mergeKey }: MergeRule): MergeField {
  const merged = mergeKey === undefined ? 'set' : [mergeKey];
  return {
    list: strategies.includes('merge') ? merged : 'replaced',
    isReplaced: strategies.includes('replace'),
    shape: shapeOf(type.kind === 'list' ? type.of : type),
  };
}
