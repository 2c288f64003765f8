import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { steadyClock } from '../../kube/runtime/clock.ts';
import { LeaderElection, LeadershipLostError } from '../../kube/runtime/leader-election.ts';
import {
  type ComponentContext,
  type ComponentFailure,
  type ComponentIo,
  runComponent,
} from '../../process/component.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { startHealthServer } from '../../process/http/health.ts';
import type { HttpServer } from '../../process/http/server.ts';
import type { Environment } from '../../text/environment.ts';
import { type SubscriberMetrics, subscriberMetrics } from './metrics.ts';
import { LEASE } from './registration.ts';
import { FLAGS, readSettings, type SubscriberSettings } from './settings.ts';
import { Subscriber } from './start-subscriber.ts';

type Settings = SubscriberSettings & { readonly metrics: SubscriberMetrics };

/**
 * Entry point of `turnsole subscriber`: carries work from a control plane into the cluster, and results back, until it is stopped.
 *
 * @returns exit code: 0 stopped, 1 failed or leadership lost, 2 wrong command line or environment
 */
export function runSubscriber(
  argv: readonly string[],
  env: Environment,
  io: ComponentIo = {},
): Promise<number> {
  const component = {
    name: 'subscriber',
    flags: FLAGS,
    settings: (...given: Parameters<typeof readSettings>): Settings => ({
      ...readSettings(...given),
      metrics: subscriberMetrics(),
    }),
    clientOptions: ({ metrics }: Settings) => ({ onCall: metrics.apiCalls }),
    serve,
    failed,
  };
  // What is tried again waits for a time of this process: a clock that is set back holds nothing up.
  return runComponent(component, argv, env, { clock: steadyClock, ...io });
}

/** A successor may be at work already: ends at once, the kubelet starts a new candidate. */
function failed(err: unknown, { logger, signal }: ComponentFailure): number | undefined {
  if (!(err instanceof LeadershipLostError) || signal.aborted) return undefined;
  logger.error({ err }, 'leadership lost');
  return POD_EXIT.failed;
}

async function serve(context: ComponentContext<Settings>): Promise<void> {
  const { client, settings, clock, logger, signal } = context;
  const subscriber = new Subscriber({ settings, client, clock, logger, metrics: settings.metrics });
  let isActive = false;
  const servers = await openServers(settings, subscriber, () => isActive);
  const lead = (leading: AbortSignal): Promise<void> => {
    isActive = true;
    return subscriber.run(leading);
  };
  try {
    if (!settings.leaderElect) return await lead(signal);
    const election = new LeaderElection({
      client,
      namespace: settings.namespace,
      name: LEASE,
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      clock,
      logger,
      lead,
      onNewLeader: (holder) => logger.info({ holder }, 'another subscriber is active'),
    });
    await election.run(signal);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    logger.info('subscriber stopped');
  }
}

async function openServers(
  { metricsAddress, healthAddress, metrics }: Settings,
  subscriber: Subscriber,
  isActive: () => boolean,
): Promise<readonly HttpServer[]> {
  const opened: HttpServer[] = [];
  if (metricsAddress !== undefined) {
    const pages = { '/metrics': () => metrics.page(subscriber.spool) };
    opened.push(await startHealthServer({ ...metricsAddress, pages }));
  }
  if (healthAddress !== undefined) {
    const checks = [
      { name: 'ping', kind: 'healthz', check: () => {} },
      // A standby is ready: it is ready to take over.
      { name: 'control-plane', kind: 'readyz', check: () => void (isActive() && subscriber.checkReady()) },
    ] as const;
    opened.push(await startHealthServer({ ...healthAddress, checks }));
  }
  return opened;
}
