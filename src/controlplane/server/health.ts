import type { FastifyInstance } from 'fastify';
import type { Noun } from '../access/noun.ts';
import { richAnswer } from '../http/rest.ts';
import type { Store } from '../store/store.ts';

/** Time limit for the database; a hanging one counts as down. */
const ANSWER_MS = 900;

/** Whether the database answers in time. */
async function databaseAnswers(store: Pick<Store, 'healthy'>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ANSWER_MS);
  try {
    return await Promise.race([store.healthy(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Upstream's health checks of the server. */
export const healthNoun: Noun = {
  routes: {
    'GET /status': async (_args, { plane }) => {
      const up = await databaseAnswers(plane.store);
      return richAnswer({ status: up ? 200 : 503, body: { status: up ? 'up' : 'down' } });
    },
    'GET /readiness': async (_args, { plane }) => {
      const up = await databaseAnswers(plane.store);
      const state = up ? 'up' : 'down';
      return richAnswer({ status: up ? 200 : 503, body: { database: state, collections: state } });
    },
  },
};

/**
 * The kubelet's checks: `/healthz`, whose failure means that the process should be restarted, and `/readyz`, whether it should get requests.
 *
 * @param isEnding true once the shutdown has begun
 */
export function addHealthRoutes(
  app: FastifyInstance,
  store: Pick<Store, 'healthy'>,
  isEnding: () => boolean,
): void {
  app.get('/healthz', async (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', async (_request, reply) => {
    const reason = isEnding()
      ? 'the server ends'
      : (await databaseAnswers(store))
        ? undefined
        : 'the database does not answer';
    return reply
      .code(reason === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${reason ?? 'ok'}\n`);
  });
}
