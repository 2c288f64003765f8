import { TimeLimit } from '@turnsole/kube/base/time-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, Kind } from 'graphql';
import type { ControlPlane } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import { callerOf, originOf } from '../caller-of-request.ts';
import { noteOperation, type ObservedOperation } from '../observe.ts';
import { withinTime } from '../time-limit.ts';
import { answer, events, type GraphQLRequest, type PreparedRequest, prepare } from './execute.ts';
import { readRequest } from './request.ts';
import type { RequestContext } from './wire.ts';

/** Upstream's path in the server, and the one in its page. */
export const GRAPHQL_PATHS = ['/query', '/api/query'] as const;

/** Execution data of a run contains the results of all its faults; agents send all of it. */
const BODY_BYTES = 16 * 1024 * 1024;
/** Time limit for the first event of a subscription by POST: a slow agent takes seconds to list its objects. */
const FIRST_EVENT_MS = 60_000;

/** Adds the GraphQL paths: POST for everything (a subscription answers with its first event), GET for queries. */
export function addGraphQLRoutes(app: FastifyInstance, plane: ControlPlane, schema: GraphQLSchema): void {
  for (const path of GRAPHQL_PATHS) {
    app.post(path, { bodyLimit: BODY_BYTES }, (request, reply) =>
      serve(plane, schema, request, reply, readRequest(request.body)),
    );
    app.get(path, (request, reply) => serve(plane, schema, request, reply, requestOfUrl(request.query)));
  }
}

async function serve(
  plane: ControlPlane,
  schema: GraphQLSchema,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: GraphQLRequest,
): Promise<FastifyReply> {
  const caller = await withinTime(plane.clock, plane.signal, () =>
    callerOf(plane, request.headers, request.method !== 'GET'),
  );
  if (caller.kind === 'nobody' && caller.why === 'revoked') {
    return reply.code(401).type('text/plain').send('Error verifying JWT token: Token is revoked');
  }
  const prepared = prepare(schema, asked, caller.kind === 'user');
  if ('errors' in prepared) return reply.code(422).send({ errors: prepared.errors, data: null });
  if (request.method === 'GET' && prepared.type !== 'query') {
    return reply
      .code(405)
      .header('allow', 'POST')
      .send({ errors: [{ message: `a ${prepared.type} needs POST` }] });
  }
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new Error('the client went away')));
  const signal = AbortSignal.any([plane.signal, gone.signal]);
  const context: RequestContext = { plane, caller, origin: originOf(plane, request), signal };
  const result =
    prepared.type === 'subscription'
      ? await firstEvent(plane, context, (within) => events(schema, prepared, asked, within))
      : await answer(schema, prepared, asked, context);
  noteOperation(request, operationOf(prepared, result));
  return reply
    .code(isUnanswerable(result) ? 422 : 200)
    .header('cache-control', 'no-store')
    .send(result);
}

/** Whether the execution was refused before any field was resolved: variables do not have their declared types. A refusal has a code. Pure. */
function isUnanswerable({ data, errors = [] }: ExecutionResult): boolean {
  return (
    data === undefined &&
    errors.length > 0 &&
    errors.every(({ extensions }) => extensions?.code === undefined)
  );
}

/** The operation and its outcome, for metrics. */
function operationOf(
  { document, type }: Extract<PreparedRequest, { document: DocumentNode }>,
  { errors }: ExecutionResult,
): ObservedOperation {
  const definition = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const [field] =
    definition !== undefined && 'selectionSet' in definition
      ? (definition.selectionSet?.selections ?? [])
      : [];
  const name = field?.kind === Kind.FIELD ? field.name.value : 'several';
  const code = errors?.[0]?.extensions?.code;
  return { name, type, ...(errors !== undefined && { error: typeof code === 'string' ? code : 'graphql' }) };
}

/** @throws Refusal */
function requestOfUrl(query: unknown): GraphQLRequest {
  const { variables, ...rest } = query as Record<string, string>;
  if (variables === undefined) return readRequest(rest);
  try {
    return readRequest({ ...rest, variables: JSON.parse(variables) });
  } catch (error) {
    throw new Refusal('invalid', 'parameter variables is no JSON', { fields: ['variables'], cause: error });
  }
}

type Events = AsyncGenerator<ExecutionResult, void, void>;

/** Upstream's page sends subscriptions by POST, and takes the first event as the answer. */
async function firstEvent(
  plane: ControlPlane,
  context: RequestContext,
  start: (context: RequestContext) => Promise<ExecutionResult | Events>,
): Promise<ExecutionResult> {
  const seconds = FIRST_EVENT_MS / 1000;
  const late = new Refusal('timed-out', `nothing has come for ${seconds} s; the cluster's agent may be away`);
  using limit = new TimeLimit(plane.clock, FIRST_EVENT_MS, () => late);
  const answered = new AbortController();
  try {
    const signal = AbortSignal.any([context.signal, limit.signal, answered.signal]);
    const stream = await start({ ...context, signal });
    if (!(Symbol.asyncIterator in stream)) return stream;
    for await (const event of stream) return event;
    const { message, code } = limit.signal.aborted
      ? late
      : new Refusal('unavailable', 'the subscription ended without an event');
    return { errors: [{ message, extensions: { code } }] } as unknown as ExecutionResult;
  } finally {
    answered.abort();
  }
}
