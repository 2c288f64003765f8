import type { Logger } from '@turnsole/kube/base/log';
import { GraphQLError } from 'graphql';
import type { Ids } from '../access/ids.ts';
import { Refusal } from '../access/refusal.ts';
import { StoreUnavailableError } from '../store/errors.ts';

/** A refusal for any thrown value: refusals stay as they are, everything else is masked and logged once. */
export function toRefusal(error: unknown, operation: string, ids: Ids, logger: Logger): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreUnavailableError) {
    logger.warn({ err: error, operation }, 'the database is not available');
    const sentence = 'the database is not available; nothing was changed, try again';
    return new Refusal('unavailable', sentence, { cause: error });
  }
  const loggedAs = ids.id();
  logger.error({ err: error, operation, errorId: loggedAs }, 'an operation failed');
  const sentence = `internal error; the server's log says more under ${loggedAs}`;
  return new Refusal('unavailable', sentence, { status: 500, error: 'server_error', cause: error });
}

/** The same in the form of GraphQL answers. Errors of the document itself stay as they are. */
export function graphqlError(error: GraphQLError, ids: Ids, logger: Logger): GraphQLError {
  const { originalError: original, nodes, path } = error;
  if (original === undefined || original === null || original instanceof GraphQLError) return error;
  const refusal = toRefusal(original, path?.[0]?.toString() ?? 'GraphQL', ids, logger);
  return new GraphQLError(refusal.message, {
    ...(nodes === undefined ? {} : { nodes }),
    ...(path === undefined ? {} : { path }),
    extensions: { code: refusal.code, ...(refusal.fields.length > 0 && { fields: refusal.fields }) },
  });
}

/** The error of a websocket's operation that could not be begun. */
export function notBegun(error: unknown, ids: Ids, logger: Logger): GraphQLError {
  const unmasked = new GraphQLError('the operation could not be begun', { originalError: error as Error });
  return graphqlError(unmasked, ids, logger);
}
