/** The first value of an applied configuration that is not of its field's type, in the real server's words. */
import { structOf, type Type } from '@turnsole/kube/schema/kubernetes/types';
import { isJson } from '../../object.ts';

/** What each letter of the type table takes; the others take several kinds of values. */
const SCALARS: Readonly<Record<string, 'string' | 'numeric' | 'boolean'>> = {
  s: 'string',
  i: 'numeric',
  l: 'numeric',
  b: 'boolean',
};

/**
 * The mistake below a path such as `.spec.replicas`, or undefined where there is none. Only what is told apart by its kind of value is
 * judged; the decoder judges the rest. Pure.
 */
export function typeMistake(value: unknown, type: Type, path: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type.kind) {
    case 'scalar':
      return scalarMistake(value, type.letter, path);
    case 'list':
      if (!Array.isArray(value)) return undefined;
      return first(value, (item, index) => typeMistake(item, type.of, `${path}[${index}]`));
    case 'map':
      if (!isJson(value)) return undefined;
      return first(Object.keys(value), (key) => typeMistake(value[key], type.of, `${path}.${key}`));
    case 'struct': {
      const fields = structOf(type.name)?.fields;
      if (fields === undefined || !isJson(value)) return undefined;
      return first(Object.keys(value), (key) => {
        const field = fields.get(key);
        return field && typeMistake(value[key], field.type, `${path}.${key}`);
      });
    }
  }
}

function first<T>(
  items: readonly T[],
  judge: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const mistake = judge(item, index);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function scalarMistake(value: unknown, letter: string, path: string): string | undefined {
  const found = typeof value;
  switch (SCALARS[letter]) {
    case 'string':
      return found === 'string'
        ? undefined
        : `${path}: expected string, got &value.valueUnstructured{Value:${String(value)}}`;
    case 'numeric':
      return found === 'number' ? undefined : `${path}: expected numeric (int or float), got ${found}`;
    default:
      return undefined;
  }
}
