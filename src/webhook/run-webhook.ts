import { createClient } from '../kube/client/client.ts';
import { loadInClusterConfig } from '../kube/client/config/in-cluster.ts';
import type { ClusterConfig } from '../kube/client/types.ts';
import { systemClock } from '../kube/runtime/clock.ts';
import { startHealthServer } from '../kube/runtime/health.ts';
import { createLogger, type Logger } from '../kube/runtime/log.ts';
import { terminationSignal } from '../kube/runtime/termination-signal.ts';
import { ensureIdentity } from './identity.ts';
import { type ReviewContext, review } from './review.ts';
import { startWebhookServer } from './server.ts';

const WEBHOOK_PORT = 9443;
const HEALTH_PORT = 8081;
/** How often the certificate is looked at: far more often than it has to be renewed. */
const RENEW_INTERVAL_MS = 12 * 60 * 60_000;

/** What the process gives; tests give their own. */
export interface WebhookIo extends Pick<ReviewContext, 'permissionsOf' | 'faultOf'> {
  readonly config?: ClusterConfig;
  readonly logger?: Logger;
  readonly signal?: AbortSignal;
  /** @default 9443 */
  readonly port?: number;
  /** @default 8081 */
  readonly healthPort?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Entry point of `turnsole webhook`: admission of chaos kinds, until it is stopped. Environment: WEBHOOK_SERVICE, WEBHOOK_SECRET,
 * WEBHOOK_CONFIGURATION name its objects, TRUSTED_USERS (separated by commas) those that are not checked.
 *
 * @returns exit code: 0 stopped, 1 failed
 */
export async function runWebhook(
  env: Readonly<Record<string, string | undefined>>,
  io: WebhookIo,
): Promise<number> {
  const logger = io.logger ?? createLogger({ component: 'webhook' });
  const signal = io.signal ?? terminationSignal();
  try {
    await serve(env, io, logger, signal);
    return 0;
  } catch (err) {
    if (signal.aborted) return 0;
    logger.error({ err }, 'webhook failed');
    return 1;
  }
}

async function serve(
  env: Readonly<Record<string, string | undefined>>,
  io: WebhookIo,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const config = io.config ?? (await loadInClusterConfig(env));
  const client = createClient(config);
  const place = {
    namespace: config.namespace,
    service: env.WEBHOOK_SERVICE || 'turnsole-webhook',
    secret: env.WEBHOOK_SECRET || 'turnsole-webhook-tls',
    configuration: env.WEBHOOK_CONFIGURATION || `turnsole-webhook-${config.namespace}`,
  };
  const trusted = (env.TRUSTED_USERS ?? '').split(',').filter((name) => name !== '');
  const { permissionsOf, faultOf } = io;
  const context = { client, signal, permissionsOf, faultOf, trusted };
  let identity = await ensureIdentity(client, place, systemClock.now(), signal);
  const server = await startWebhookServer({
    port: io.port ?? WEBHOOK_PORT,
    identity,
    review: (request) => review(request, context),
    onError: (err) => logger.error({ err }, 'cannot judge a request'),
  });
  const health = await startHealthServer({ port: io.healthPort ?? HEALTH_PORT });
  io.onListening?.(server.port);
  logger.info({ port: server.port }, 'webhook started');
  try {
    for (;;) {
      await systemClock.sleep(RENEW_INTERVAL_MS, signal);
      try {
        identity = await ensureIdentity(client, place, systemClock.now(), signal);
        server.renew(identity);
      } catch (err) {
        signal.throwIfAborted();
        // There is a month left for the next attempts.
        logger.warn({ err }, 'cannot look at the certificate');
      }
    }
  } finally {
    await Promise.all([server.close(), health.close()]);
    client.close();
  }
}
