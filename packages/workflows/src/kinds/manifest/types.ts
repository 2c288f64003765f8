/** The fields of Argo's workflow kinds, and of what of Kubernetes stands in them. */
import { parseType, structOf, type Type } from '@turnsole/kube/schema/kubernetes/types';
import data from './argo-types.json' with { type: 'json' };

/** Fields by name, with their types. */
type Fields = ReadonlyMap<string, Type>;

const compiled = new Map<string, Fields>();

/** The fields of a struct of Argo (`Template`) or Kubernetes (`core.v1.Container`); undefined when it is not known. */
export function fieldsOf(struct: string): Fields | undefined {
  const known = compiled.get(struct);
  if (known !== undefined) return known;
  const fields = ofArgo(struct) ?? ofKubernetes(struct);
  if (fields !== undefined) compiled.set(struct, fields);
  return fields;
}

function ofArgo(struct: string): Fields | undefined {
  if (!Object.hasOwn(data, struct)) return undefined;
  // The generated file's rows are pairs, which JSON typing flattens.
  const rows = (data as unknown as Readonly<Record<string, readonly (readonly [string, string])[]>>)[struct];
  // A row without a name stands for the fields of another struct.
  return new Map(
    (rows ?? []).flatMap(([name, type]): (readonly [string, Type])[] =>
      name === '' ? [...(fieldsOf(type) ?? [])] : [[name, parseType(type)]],
    ),
  );
}

function ofKubernetes(struct: string): Fields | undefined {
  const found = structOf(struct);
  return found && new Map([...found.fields].map(([name, { type }]) => [name, type]));
}
