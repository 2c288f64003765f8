import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FastifyInstance, fastify } from 'fastify';
import { graphql, parse, subscribe } from 'graphql';
import { WebSocketServer } from 'ws';
import { buildPage } from '../../build/page.ts';
import { addPageRoutes } from '../../src/controlplane/page/page-routes.ts';
import { controlPlaneSchema } from '../../src/controlplane/schema/load.ts';

/** The page, built once for a test file. */
export interface BuiltFolder extends AsyncDisposable {
  readonly folder: string;
}

/** Set by a runner of many files that has built the page for all of them: a build takes seconds of a processor. */
export const BUILT_PAGE = 'TURNSOLE_TEST_PAGE';

/** The runner's, else builds the page into a folder that is removed afterwards. */
export async function buildOnce(): Promise<BuiltFolder> {
  const built = process.env[BUILT_PAGE];
  if (built !== undefined) return { folder: built, [Symbol.asyncDispose]: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-web-'));
  await buildPage(join(import.meta.dirname, '../..'), folder);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** What the server answers: by field of Query and Mutation, as the schema has them. Throw an `Error` with a `code` to refuse. */
export type Answers = Readonly<Record<string, (variables: Readonly<Record<string, unknown>>) => unknown>>;

/** What subscriptions tell, once, by field of Subscription. */
export type Tells = Readonly<Record<string, unknown>>;

/** A server of the page whose data are given. */
export interface PageServer {
  readonly address: string;
  readonly app: FastifyInstance;
  /** Operations that were asked for, with their variables. */
  readonly asked: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }[];
}

/**
 * Serves the page by the routes of the control plane, and its schema: documents and answers are checked by the schema as the control plane
 * checks them. Only where data come from is the test's, so that every state of a view can be had.
 */
export async function servePage(folder: string, answers: Answers, tells: Tells = {}): Promise<PageServer> {
  const app = fastify({ forceCloseConnections: true });
  addPageRoutes(app, folder);
  const asked: PageServer['asked'] = [];
  app.get('/get_project_role/:project', async () => ({ role: 'Owner' }));
  app.get('/get_user/me', async () => ({ username: 'olga' }));
  app.get('/list_projects', async () => ({ data: { projects: [{ projectID: 'p', name: 'shop' }] } }));
  app.post<{ Body: PageServer['asked'][number] }>('/query', async ({ body }) => {
    asked.push(body);
    const { data, errors } = await graphql({
      schema: controlPlaneSchema(),
      source: body.query,
      variableValues: body.variables,
      rootValue: { haltStatus: [], ...answers },
    });
    const codedErrors = errors?.map(({ message, originalError }) => ({
      message,
      extensions: { code: (originalError as { code?: string } | undefined)?.code ?? 'internal' },
    }));
    return { data, ...(codedErrors === undefined ? {} : { errors: codedErrors }) };
  });
  serveSubscriptions(app, tells);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { address, app, asked };
}

/** Takes subscriptions, and tells what is given; of others nothing: what a view has is what it asked for. */
function serveSubscriptions(app: FastifyInstance, tells: Tells): void {
  const sockets = new WebSocketServer({ server: app.server, path: '/query' });
  sockets.on('connection', (socket) =>
    socket.on('message', (frame) => {
      const { type, id, payload } = JSON.parse(frame.toString());
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (type === 'subscribe')
        void tell(payload, tells, (result) =>
          socket.send(JSON.stringify({ id, type: 'next', payload: result })),
        );
    }),
  );
  app.addHook('preClose', async () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  });
}

/** Tells a subscription what its field is given, as its schema has it. */
async function tell(
  { query, variables }: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
  tells: Tells,
  send: (result: unknown) => void,
): Promise<void> {
  const field = Object.keys(tells).find((name) => new RegExp(`\\b${name}\\b`).test(query));
  if (field === undefined) return;
  const rootValue = {
    [field]: async function* () {
      yield { [field]: tells[field] };
    },
  };
  const asked = { document: parse(query), variableValues: variables };
  const results = await subscribe({ schema: controlPlaneSchema(), rootValue, ...asked });
  if (Symbol.asyncIterator in results) for await (const result of results) send(result);
}

/** A refusal with a code, as the control plane gives them. */
export function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
