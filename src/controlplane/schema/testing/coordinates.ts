import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

/** Everything that a schema names, by coordinates: `Probe`, `Probe.name`, `Query.getProbe`, `Query.getProbe(probeName:)`. */
export function coordinatesOf(schema: GraphQLSchema): Set<string> {
  const types = Object.values(schema.getTypeMap());
  const own = types.filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type));
  const directives = schema.getDirectives().map(({ name }) => `@${name}`);
  return new Set([...own.flatMap((type) => [type.name, ...membersOf(type)]), ...directives]);
}

function membersOf(type: GraphQLNamedType): string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => `${type.name}.${name}`);
  if (isInputObjectType(type)) return Object.keys(type.getFields()).map((name) => `${type.name}.${name}`);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => fieldAndArguments(type.name, field));
}

function fieldAndArguments(type: string, field: GraphQLField<unknown, unknown>): string[] {
  const coordinate = `${type}.${field.name}`;
  return [coordinate, ...field.args.map(({ name }) => `${coordinate}(${name}:)`)];
}

/** Of coordinates, those that do not stand inside of another one: of a new type its name alone. */
export function outermost(coordinates: readonly string[]): string[] {
  const all = new Set(coordinates);
  return coordinates.filter((one) => !enclosing(one).some((outer) => all.has(outer)));
}

function enclosing(coordinate: string): string[] {
  const [field = ''] = coordinate.split('(');
  const [type = ''] = coordinate.split('.');
  return [type, field].filter((outer) => outer !== coordinate);
}
