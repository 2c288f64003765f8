import type { Environment } from '@turnsole/kube/text/environment';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { startHealthServer } from '../../process/http/health.ts';
import { ensureIdentity } from './identity.ts';
import { type ReviewContext, review } from './review.ts';
import { certificateOf, startWebhookServer } from './server.ts';

const WEBHOOK_PORT = 9443;
const HEALTH_PORT = 8081;
/** Between two checks of the certificate: far more often than it has to be renewed. */
const RENEW_INTERVAL_MS = 12 * 60 * 60_000;

/** What the command gives beside the process; tests give their own. */
export interface WebhookIo
  extends ComponentIo,
    Pick<ReviewContext, 'permissionsOf' | 'faultOf' | 'idleReasonOf'> {
  /** @default 9443 */
  readonly port?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Entry point of `turnsole webhook`: admission of chaos kinds, until it is stopped. Environment: WEBHOOK_SERVICE, WEBHOOK_SECRET,
 * WEBHOOK_CONFIGURATION name its objects, TRUSTED_USERS (separated by commas) those that are not checked.
 *
 * @returns exit code: 0 stopped, 1 failed
 */
export function runWebhook(argv: readonly string[], env: Environment, io: WebhookIo): Promise<number> {
  const settings = (): WebhookSettings => ({
    service: env.WEBHOOK_SERVICE || 'turnsole-webhook',
    secret: env.WEBHOOK_SECRET || 'turnsole-webhook-tls',
    configuration: env.WEBHOOK_CONFIGURATION,
    trusted: (env.TRUSTED_USERS ?? '').split(',').filter((name) => name !== ''),
  });
  return runComponent({ name: 'webhook', settings, serve: (context) => serve(context, io) }, argv, env, io);
}

interface WebhookSettings {
  readonly service: string;
  readonly secret: string;
  readonly configuration: string | undefined;
  readonly trusted: readonly string[];
}

async function serve(
  { settings, client, clock, logger, namespace, signal }: ComponentContext<WebhookSettings>,
  { permissionsOf, faultOf, idleReasonOf, ...io }: WebhookIo,
): Promise<void> {
  const { trusted, ...names } = settings;
  const configuration = names.configuration || `turnsole-webhook-${namespace}`;
  const place = { ...names, namespace, configuration };
  const onServerError = (err: Error): void => logger.error({ err }, 'cannot accept a connection');
  let identity = await ensureIdentity(client, place, clock.now(), signal);
  const server = await startWebhookServer({
    port: io.port ?? WEBHOOK_PORT,
    identity,
    review: (request) => review(request, { client, signal, permissionsOf, faultOf, idleReasonOf, trusted }),
    onError: (err) => logger.error({ err }, 'cannot judge a request'),
    onServerError,
  });
  const health = await startHealthServer({ port: HEALTH_PORT, onServerError });
  io.onListening?.(server.port);
  logger.info({ port: server.port }, 'webhook started');
  try {
    for (;;) {
      await clock.sleep(RENEW_INTERVAL_MS, signal);
      try {
        identity = await ensureIdentity(client, place, clock.now(), signal);
        server.renew(certificateOf(identity));
      } catch (err) {
        signal.throwIfAborted();
        // A month is left for the next attempts.
        logger.warn({ err }, 'cannot look at the certificate');
      }
    }
  } finally {
    await Promise.all([server.close(), health.close()]);
  }
}
