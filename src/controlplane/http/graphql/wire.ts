import type { GraphQLFieldResolver, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { allow } from '../../access/allow.ts';
import type { Context } from '../../access/context.ts';
import type { Noun } from '../../access/noun.ts';
import type { Arguments, Operation } from '../../access/operations.ts';
import { storableArguments } from '../../access/storable-arguments.ts';

/** Context of a request before its operation is known. */
export type RequestContext = Omit<Context, 'operation' | 'member' | 'transaction'>;

type Handler = (args: never, context: Context) => unknown;
type Resolver = GraphQLFieldResolver<unknown, RequestContext>;

/**
 * Connects each field of the schema with the handler of its noun, behind the check of its row in the table.
 *
 * @throws Error if a field has no row or no handler, or a row or handler has no field
 */
export function wireSchema(
  schema: GraphQLSchema,
  nouns: readonly Noun[],
  operations: readonly Operation[],
): GraphQLSchema {
  const rows = new Map(operations.map((operation) => [operation.name, operation]));
  const left = new Set(rows.keys());
  const wireRoot = (
    type: GraphQLObjectType | null | undefined,
    handlers: ReadonlyMap<string, Handler>,
  ): void => {
    for (const [name, field] of Object.entries(type?.getFields() ?? {})) {
      const isLasting = type === schema.getSubscriptionType();
      const resolver = (isLasting ? behindLastingCheck : behindCheck)(
        required(rows, name, 'row in operations.ts'),
        required(handlers, name, 'noun'),
      );
      if (isLasting) {
        field.subscribe = resolver;
        field.resolve = (event) => event;
      } else {
        field.resolve = resolver;
      }
      left.delete(name);
    }
    refuseUnknown(type, handlers);
  };
  wireRoot(schema.getQueryType(), handlersOf(nouns, 'queries'));
  wireRoot(schema.getMutationType(), handlersOf(nouns, 'mutations'));
  wireRoot(schema.getSubscriptionType(), handlersOf(nouns, 'subscriptions'));
  if (left.size > 0) throw new Error(`operations.ts has rows without a field: ${[...left].join(', ')}`);
  for (const noun of nouns) wireTypes(schema, noun);
  return schema;
}

function required<T>(map: ReadonlyMap<string, T>, name: string, what: string): T {
  const value = map.get(name);
  if (value === undefined) throw new Error(`operation ${name} of the schema has no ${what}`);
  return value;
}

function refuseUnknown(
  type: GraphQLObjectType | null | undefined,
  handlers: ReadonlyMap<string, Handler>,
): void {
  const unknown = [...handlers.keys()].filter((name) => type?.getFields()[name] === undefined);
  if (unknown.length > 0) throw new Error(`${type?.name} of the schema has no ${unknown.join(', ')}`);
}

function handlersOf(
  nouns: readonly Noun[],
  part: 'queries' | 'mutations' | 'subscriptions',
): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const noun of nouns) {
    for (const [name, handler] of Object.entries((noun[part] ?? {}) as Record<string, Handler>)) {
      if (handlers.has(name)) throw new Error(`two nouns do ${name}`);
      handlers.set(name, handler);
    }
  }
  return handlers;
}

function behindCheck(operation: Operation, handler: Handler): Resolver {
  return async (_root, given: Arguments, request) => {
    const args = storableArguments(operation, given);
    const allowed = await allow(request.plane, operation, args, request.caller);
    return handler(args as never, { ...request, ...allowed, operation: operation.name });
  };
}

/** The same for a subscription, which checks its caller repeatedly; the actions of agents end by themselves. */
function behindLastingCheck(operation: Operation, handler: Handler): Resolver {
  const once = behindCheck(operation, handler);
  return async (root, given: Arguments, request, info) => {
    const events = (await once(root, given, request, info)) as AsyncIterable<unknown>;
    const { plane, caller } = request;
    if (caller.kind !== 'user') return events;
    const check = async (): Promise<unknown> => {
      const again = await plane.tokens.callerOf(caller.session, plane.store.read);
      return allow(plane, operation, storableArguments(operation, given), again);
    };
    return whileAllowed(events, check, () => plane.clock.now());
  };
}

/** Fields of object types that are resolved on request. */
function wireTypes(schema: GraphQLSchema, { types = {} }: Noun): void {
  for (const [typeName, fields] of Object.entries(types)) {
    const type = schema.getType(typeName) as GraphQLObjectType | undefined;
    for (const [name, resolver] of Object.entries(fields ?? {})) {
      const field = type?.getFields()[name];
      if (field === undefined) throw new Error(`the schema has no ${typeName}.${name}`);
      field.resolve = resolver as GraphQLFieldResolver<unknown, RequestContext>;
    }
  }
}

/** How long a caller who has lost access may still receive events. */
const RECHECK_MS = 1_000;

/**
 * The events of a subscription, as long as its caller has access: a caller who is signed out, deactivated or removed from the project gets
 * no later ones. Checks before an event is sent, at most once a second.
 *
 * @param check throws a Refusal, which ends the subscription
 */
async function* whileAllowed<T>(
  events: AsyncIterable<T>,
  check: () => Promise<unknown>,
  now: () => number,
): AsyncGenerator<T, void, void> {
  let checkedAt = now();
  for await (const event of events) {
    if (now() - checkedAt >= RECHECK_MS) {
      await check();
      checkedAt = now();
    }
    yield event;
  }
}
