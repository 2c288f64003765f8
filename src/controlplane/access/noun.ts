import type {
  MutationResolvers,
  QueryResolvers,
  Resolvers,
  SubscriptionResolvers,
} from '../schema/generated/types.ts';
import type { Context } from './context.ts';

type AnyFunction = (...args: never[]) => unknown;

/** A root field as a noun gives it: who may call it has been checked before. */
type Roots<R> = {
  readonly [Field in keyof R]?: Extract<NonNullable<R[Field]>, AnyFunction> extends (
    parent: never,
    args: infer Args,
    context: never,
    info: never,
  ) => infer Result
    ? (args: Args, context: Context) => Result
    : never;
};

/** What each event of a subscription is; asking for it gives them as long as somebody listens. */
type Streams = {
  readonly [Field in keyof SubscriptionResolvers]?: (
    args: never,
    context: Context,
  ) => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
};

/** A route: arguments of path, query and body together. Gives the answer's body. */
export type Route = (args: Readonly<Record<string, unknown>>, context: Context) => Promise<object>;

/** Work that the server does by itself, in one replica at a time. */
export interface Duty {
  readonly name: string;
  /** How often, in milliseconds. */
  readonly everyMs: number;
  run(context: Context): Promise<void>;
}

/** What a noun of the control plane adds to the API. */
export interface Noun {
  readonly queries?: Roots<QueryResolvers<Context>>;
  readonly mutations?: Roots<MutationResolvers<Context>>;
  readonly subscriptions?: Streams;
  /** Fields of types that are looked up when they are asked for. */
  readonly types?: Omit<Resolvers<Context>, 'Query' | 'Mutation' | 'Subscription'>;
  /** By `METHOD /path`, as in the table of operations. */
  readonly routes?: Readonly<Record<string, Route>>;
  readonly duties?: readonly Duty[];
}
