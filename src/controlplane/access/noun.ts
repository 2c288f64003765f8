import type {
  MutationResolvers,
  QueryResolvers,
  Resolvers,
  SubscriptionResolvers,
} from '../schema/generated/types.ts';
import type { Context } from './context.ts';
import type { Arguments } from './operations.ts';

type AnyFunction = (...args: never[]) => unknown;

/** A root field of a noun. The caller is authorised before it runs. */
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

/** Subscriptions: each call yields events until the client unsubscribes. */
type Streams = {
  readonly [Field in keyof SubscriptionResolvers]?: (
    args: never,
    context: Context,
  ) => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
};

/** A route: gets the arguments of path, query and body together, and returns the body of the answer. */
export type Route = (args: Arguments, context: Context) => Promise<object>;

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
  /** Fields of types that are resolved on request. */
  readonly types?: Omit<Resolvers<Context>, 'Query' | 'Mutation' | 'Subscription'>;
  /** By `METHOD /path`, as in the table of operations. */
  readonly routes?: Readonly<Record<string, Route>>;
  readonly duties?: readonly Duty[];
}
