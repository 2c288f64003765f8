import { buildSchema, type GraphQLSchema } from 'graphql';
import { SCHEMA_TEXT } from './generated/schema.ts';

let schema: GraphQLSchema | undefined;

/**
 * The schema of the control plane, without resolvers; built by the first call, and the same object for all. It is not checked here: the
 * text is a constant, and a test checks it whenever it changes.
 */
export function controlPlaneSchema(): GraphQLSchema {
  schema ??= buildSchema(SCHEMA_TEXT, { assumeValid: true, assumeValidSDL: true, noLocation: true });
  return schema;
}
