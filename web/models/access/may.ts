import { GRAPHQL_OPERATIONS } from '../../../src/controlplane/access/operations.ts';
import type { Mutation, Query } from '../../../src/controlplane/schema/generated/types.ts';

/** An operation of the API by its name. */
export type OperationName = keyof Mutation | keyof Query;

/** Roles of a project whose members may call an operation, from the most to the least; none for operations outside of projects. Pure. */
export function rolesFor(operation: OperationName): readonly string[] {
  const access = GRAPHQL_OPERATIONS.find(({ name }) => name === operation)?.access;
  return access?.by === 'members' ? access.roles : [];
}

/** Who may call an operation, as the subject of a sentence: `An Owner or Executor`. Pure. */
export function whoMay(operation: OperationName): string {
  return `An ${rolesFor(operation).join(' or ')}`;
}
