import { buildSchema, type GraphQLSchema } from 'graphql';
import { SCHEMA_TEXT } from './generated/schema.ts';

let schema: GraphQLSchema | undefined;

/**
 * The schema of the control plane, without resolvers; built by the first call, and then the same object. Not validated here: the
 * text is a constant, and a test validates it.
 */
export function controlPlaneSchema(): GraphQLSchema {
  schema ??= buildSchema(SCHEMA_TEXT, { assumeValid: true, assumeValidSDL: true, noLocation: true });
  return schema;
}
