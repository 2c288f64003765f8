import {
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationTypeNode,
} from 'graphql';

/** A document that asks for one operation with everything it takes. */
export interface AnyDocument {
  readonly kind: OperationTypeNode;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Levels of fields that are asked for. */
const LEVELS = 3;
/** Levels of requests that are filled. */
const DEPTH = 4;

/**
 * A document for an operation of the schema.
 *
 * @param named values by the name of an argument or a field of a request; undefined leaves it out; others get one of their type
 */
export function anyDocument(
  schema: GraphQLSchema,
  operation: string,
  named: Readonly<Record<string, unknown>>,
): AnyDocument {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  for (const [kind, root] of roots) {
    const field = root?.getFields()[operation];
    if (field === undefined) continue;
    const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
    const variables = Object.fromEntries(
      field.args.map(({ name, type }) => [name, valueFor(type, name, named, DEPTH)]),
    );
    const selection = `${operation}${passed === '' ? '' : `(${passed})`} ${selectionOf(field.type, LEVELS)}`;
    const document = `${kind} Any${declared === '' ? '' : `(${declared})`} { ${selection} }`;
    return { kind: kind as OperationTypeNode, document, variables };
  }
  throw new Error(`the schema has no operation ${operation}`);
}

function valueFor(
  type: GraphQLInputType,
  name: string,
  named: Readonly<Record<string, unknown>>,
  depth: number,
): unknown {
  if (Object.hasOwn(named, name) && named[name] === undefined) return undefined;
  if (isNonNullType(type)) return valueFor(type.ofType, name, named, depth);
  if (isListType(type)) return depth > 0 ? [valueFor(type.ofType, name, named, depth - 1)] : [];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => depth > 1 || isNonNullType(field.type));
    return Object.fromEntries(
      fields.map((field) => [field.name, valueFor(field.type, field.name, named, depth - 1)]),
    );
  }
  if (Object.hasOwn(named, name)) return named[name];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  const scalars: Readonly<Record<string, unknown>> = { Int: 1, Float: 1, Boolean: false };
  return scalars[`${type}`] ?? 'x';
}

function selectionOf(type: GraphQLOutputType, levels: number): string {
  if (isNonNullType(type) || isListType(type)) return selectionOf(type.ofType, levels);
  if (!isCompositeType(type)) return '';
  if (!isObjectType(type)) return '{ __typename }';
  const fields = Object.values(type.getFields())
    .filter((field) => field.args.length === 0)
    .map((field) => [field.name, selectionOf(field.type, levels - 1), field.type] as const)
    .filter(([, selection]) => levels > 1 || selection === '');
  const texts = fields.map(([name, selection]) => `${name} ${selection}`);
  return `{ __typename ${texts.join(' ')} }`;
}
