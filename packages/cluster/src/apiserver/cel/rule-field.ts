import type { PathSegment } from '@turnsole/kube/schema/path';
import { propertySchema, type StructuralSchema } from '@turnsole/kube/schema/schema';

const STEP = /^(?:\.([A-Za-z_][\w-]*)|\[\s*'((?:[^'\\]|\\.)*)'\s*\])/;

/** The field to which a rule's failure belongs, `.spec.size` or `['a.b'].c` below its schema; undefined when the text names no field. Pure. */
export function ruleField(text: string, schema: StructuralSchema): readonly PathSegment[] | undefined {
  const segments: string[] = [];
  let rest = text.trim();
  let at: StructuralSchema | undefined = schema;
  while (rest !== '') {
    const match: RegExpExecArray | null = STEP.exec(rest);
    if (match === null || at === undefined) return undefined;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const { additionalProperties }: StructuralSchema = at;
    at =
      propertySchema(at, name) ??
      (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (at === undefined) return undefined;
    segments.push(name);
    rest = rest.slice(match[0].length);
  }
  return segments;
}
