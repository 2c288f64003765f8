import { Refusal } from '../../access/refusal.ts';
import { foldedNames } from '../../access/upstream-bodies.ts';
import type { GraphQLRequest } from './execute.ts';

const NAMES = ['query', 'variables', 'operationName', 'extensions'];

/**
 * Reads the envelope of a request. Its names are matched without regard to case, as Go's decoder does: upstream's command line tool sends
 * `Variables`. Pure.
 *
 * @param within what messages put before the name of a field
 * @throws Refusal naming the field
 */
export function readRequest(envelope: unknown, within = ''): GraphQLRequest {
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) {
    throw new Refusal('invalid', 'the body is no JSON object with a query');
  }
  const { query, variables, operationName } = foldedNames(envelope as Record<string, unknown>, NAMES);
  if (typeof query !== 'string' || query === '') throw wrong(within, 'query', 'is missing, or no text');
  if (typeof (variables ?? {}) !== 'object' || Array.isArray(variables)) {
    throw wrong(within, 'variables', 'is no object');
  }
  if (typeof (operationName ?? '') !== 'string') throw wrong(within, 'operationName', 'is no text');
  return {
    query,
    variables: (variables as GraphQLRequest['variables']) ?? null,
    operationName: operationName as string | null,
  };
}

function wrong(within: string, field: string, why: string): Refusal {
  return new Refusal('invalid', `${within}${field} ${why}`, { fields: [field] });
}
