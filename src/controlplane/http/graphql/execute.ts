import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationTypeNode,
  parse,
  specifiedRules,
  subscribe,
  validate,
} from 'graphql';
import { Refusal } from '../../access/refusal.ts';
import { withinTime } from '../time-limit.ts';
import { graphqlError } from '../to-refusal.ts';
import { DocumentCache } from './document-cache.ts';
import { limits } from './limits.ts';
import { looseVariables } from './loose-variables.ts';
import type { RequestContext } from './wire.ts';

/** A client's request, by HTTP or a websocket. */
export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly operationName?: string | null;
}

/** An executable document, or its errors. */
export type PreparedRequest =
  | { readonly document: DocumentNode; readonly type: OperationTypeNode; readonly operationName?: string }
  | { readonly errors: readonly GraphQLError[] };

/** Bounds the cost of a hostile document; parsing is cheap. A manifest in it is one token. */
const MOST_TOKENS = 20_000;

const documents = new DocumentCache();

/** Parses and validates a document. Introspection requires a sign-in. */
export function prepare(schema: GraphQLSchema, request: GraphQLRequest, signedIn: boolean): PreparedRequest {
  const checked = goodDocument(schema, request.query, signedIn);
  if ('errors' in checked) return checked;
  const { document } = checked;
  // Programs whose structure has the name send it empty where they have none.
  const name = request.operationName === '' ? undefined : (request.operationName ?? undefined);
  const operation = getOperationAST(document, name);
  if (operation === null || operation === undefined) {
    return {
      errors: [new GraphQLError('the document has no single operation, and operationName names none')],
    };
  }
  return { document, type: operation.operation, ...(name !== undefined && { operationName: name }) };
}

/** A validated document, new or from the cache. */
function goodDocument(
  schema: GraphQLSchema,
  text: string,
  signedIn: boolean,
): { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] } {
  const rulesFor = signedIn ? 'signed in' : 'nobody';
  const known = documents.find(schema, text, rulesFor);
  if (known !== undefined) return { document: known };
  const checked = parsed(schema, text, signedIn);
  if ('errors' in checked) return checked;
  const { document } = checked;
  documents.keep(schema, text, rulesFor, document);
  return { document };
}

function parsed(
  schema: GraphQLSchema,
  text: string,
  signedIn: boolean,
): { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] } {
  try {
    const document = parse(text, { maxTokens: MOST_TOKENS });
    // Before the others, some of which take quadratic time.
    const excess = validate(schema, document, [limits]);
    if (excess.length > 0) return { errors: excess };
    const rules = [...specifiedRules, ...(signedIn ? [] : [NoSchemaIntrospectionCustomRule])];
    const errors = validate(schema, document, rules);
    return errors.length > 0 ? { errors } : { document };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    // Parser and rules recurse for each level, and some thousands of levels fit into the allowed text.
    if (error instanceof RangeError) return { errors: [new GraphQLError('the document is nested too deep')] };
    throw error;
  }
}

/** Executes a query or mutation. The result is ready to send, with masked errors. */
export async function answer(
  schema: GraphQLSchema,
  prepared: Extract<PreparedRequest, { document: DocumentNode }>,
  request: GraphQLRequest,
  context: RequestContext,
): Promise<ExecutionResult> {
  try {
    const result = await withinTime(context.plane.clock, context.signal, (signal) =>
      execute({ ...executionArguments(schema, prepared, request), contextValue: { ...context, signal } }),
    );
    return masked(result, context);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { errors: [new GraphQLError(error.message, { extensions: { code: error.code } })] };
  }
}

/** Executes a subscription: returns its events, ready to send, or its errors. The events end when the context's signal aborts. */
export async function events(
  schema: GraphQLSchema,
  prepared: Extract<PreparedRequest, { document: DocumentNode }>,
  request: GraphQLRequest,
  context: RequestContext,
): Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void, void>> {
  const result = await subscribe({ ...executionArguments(schema, prepared, request), contextValue: context });
  return Symbol.asyncIterator in result ? maskedEvents(result, context) : masked(result, context);
}

async function* maskedEvents(
  source: AsyncGenerator<ExecutionResult, void, void>,
  context: RequestContext,
): AsyncGenerator<ExecutionResult, void, void> {
  try {
    for await (const event of source) yield masked(event, context);
  } catch (error) {
    yield masked(
      { errors: [new GraphQLError('the subscription ended', { originalError: error as Error })] },
      context,
    );
  }
}

function executionArguments(
  schema: GraphQLSchema,
  { document, operationName }: Extract<PreparedRequest, { document: DocumentNode }>,
  { variables }: GraphQLRequest,
) {
  return {
    schema,
    document,
    variableValues: looseVariables(schema, document, operationName, variables ?? {}),
    ...(operationName !== undefined && { operationName }),
  };
}

function masked(result: ExecutionResult, { plane }: RequestContext): ExecutionResult {
  if (result.errors === undefined) return result;
  return { ...result, errors: result.errors.map((error) => graphqlError(error, plane.ids, plane.logger)) };
}
