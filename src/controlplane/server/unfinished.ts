import type { Noun } from '../access/noun.ts';
import { GRAPHQL_OPERATIONS, REST_OPERATIONS } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { controlPlaneSchema } from '../schema/load.ts';

/** Refuses what no noun does yet, so that a server with a part of the API can be started. */
export function unfinished(nouns: readonly Noun[]): Noun {
  const refuse = (): never => {
    throw new Refusal('unavailable', 'this operation is not there yet');
  };
  const schema = controlPlaneSchema();
  const missing = (part: 'queries' | 'mutations' | 'subscriptions', fields: object | undefined): object =>
    Object.fromEntries(
      GRAPHQL_OPERATIONS.map(({ name }) => name)
        .filter((name) => Object.hasOwn(fields ?? {}, name))
        .filter((name) => nouns.every((noun) => !Object.hasOwn(noun[part] ?? {}, name)))
        .map((name) => [name, refuse]),
    );
  const routes = REST_OPERATIONS.map(({ name }) => name).filter((name) =>
    nouns.every((noun) => noun.routes?.[name] === undefined),
  );
  return {
    queries: missing('queries', schema.getQueryType()?.getFields()),
    mutations: missing('mutations', schema.getMutationType()?.getFields()),
    subscriptions: missing('subscriptions', schema.getSubscriptionType()?.getFields()),
    routes: Object.fromEntries(routes.map((name) => [name, async () => refuse()])),
  };
}
