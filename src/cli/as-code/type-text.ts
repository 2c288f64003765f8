import type { StructuralSchema } from '@turnsole/kube/schema/schema';

/** Types of fields by the fields' names, where code has a better one than the schema. */
export type BetterTypes = Readonly<Record<string, string>>;

/** The members of an interface for the properties of a schema, each with its meaning as a comment. Pure. */
export function membersText(schema: StructuralSchema, better: BetterTypes = {}, indent = '  '): string {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {})
    .map(([name, one]) => {
      const optional = required.includes(name) ? '' : '?';
      const type = better[name] ?? typeText(one, better, indent);
      return `${commentText(one.description ?? '', indent)}${indent}readonly ${keyText(name)}${optional}: ${type};\n`;
    })
    .join('');
}

/** The type of a schema. Pure. */
function typeText(schema: StructuralSchema, better: BetterTypes, indent: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((word) => quoted(String(word))).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${wrapped(typeText(schema.items ?? {}, better, indent))}[]`;
    case 'object':
      return objectText(schema, better, indent);
    default:
      return 'unknown';
  }
}

function objectText(schema: StructuralSchema, better: BetterTypes, indent: string): string {
  if (schema.properties !== undefined) return `{\n${membersText(schema, better, `${indent}  `)}${indent}}`;
  const { additionalProperties } = schema;
  const value =
    typeof additionalProperties === 'object' ? typeText(additionalProperties, better, indent) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

function wrapped(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

/** A doc comment; empty without a text. A text that would end the comment is broken up. Pure. */
export function commentText(text: string, indent = ''): string {
  const clean = text.replaceAll('*/', '* /').trim();
  return clean === '' ? '' : `${indent}/** ${clean} */\n`;
}

/** A text as a literal of TypeScript. Pure. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** `pod-delete` or `podDelete` as the name of a type: `PodDelete`. Pure. */
export function pascalCase(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
