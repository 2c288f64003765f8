import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/**
 * The variables of a request as upstream's server takes them: it decodes a number where a text is declared as that text, and a text of
 * digits where a whole number is declared as that number. Scripts that make JSON out of YAML or of a shell's variables send both. Literals in documents
 * stay as strict as everywhere. Pure.
 */
export function looseVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Variables,
): Variables {
  const definitions = operationIn(document, operationName)?.variableDefinitions ?? [];
  const loose = { ...variables };
  for (const { variable, type } of definitions) {
    const name = variable.name.value;
    if (!Object.hasOwn(variables, name)) continue;
    const declared = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    if (declared !== undefined) loose[name] = asDeclared(variables[name], declared);
  }
  return loose;
}

function operationIn({ definitions }: DocumentNode, name: string | undefined) {
  const operations = definitions.filter(
    (definition): definition is OperationDefinitionNode => definition.kind === 'OperationDefinition',
  );
  return name === undefined ? operations[0] : operations.find((one) => one.name?.value === name);
}

function asDeclared(value: unknown, declared: GraphQLInputType): unknown {
  if (value === null || value === undefined) return value;
  const type = getNullableType(declared);
  if (Array.isArray(value)) {
    return isListType(type) ? value.map((one) => asDeclared(one, type.ofType)) : value;
  }
  const named = getNamedType(type);
  if (isInputObjectType(named)) return typeof value === 'object' ? fieldsAsDeclared(value, named) : value;
  const { name } = named;
  if ((name === 'String' || name === 'ID') && typeof value === 'number') return String(value);
  if (name === 'Int' && typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value)) return Number(value);
  return value;
}

function fieldsAsDeclared(value: object, type: { getFields(): Record<string, { type: GraphQLInputType }> }) {
  const fields = type.getFields();
  const entries = Object.entries(value).map(([name, one]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return [name, field === undefined ? one : asDeclared(one, field.type)];
  });
  return Object.fromEntries(entries);
}
