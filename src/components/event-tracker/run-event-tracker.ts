import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
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
import { EventTracker } from './event-tracker.ts';
import { type EventTrackerMetrics, eventTrackerMetrics } from './metrics.ts';
import { type EventTrackerSettings, FLAGS, readSettings } from './settings.ts';

/** Lease by which one of several event trackers of a namespace is active. */
const LEASE = 'turnsole-event-tracker';

type Settings = EventTrackerSettings & { readonly metrics: EventTrackerMetrics };

/**
 * Entry point of `turnsole event-tracker`: starts chaos when workloads change, until it is stopped.
 *
 * @returns exit code: 0 stopped, 1 failed or leadership lost, 2 wrong command line or environment
 */
export function runEventTracker(
  argv: readonly string[],
  env: Environment,
  io: ComponentIo = {},
): Promise<number> {
  const component = {
    name: 'event-tracker',
    flags: FLAGS,
    settings: (...given: Parameters<typeof readSettings>): Settings => ({
      ...readSettings(...given),
      metrics: eventTrackerMetrics(),
    }),
    clientOptions: ({ metrics }: Settings) => ({ onCall: metrics.apiCalls }),
    serve,
    failed,
  };
  return runComponent(component, argv, env, io);
}

/** A successor may be at work already: ends at once, the kubelet starts a new candidate. */
function failed(err: unknown, { logger, signal }: ComponentFailure): number | undefined {
  if (!(err instanceof LeadershipLostError) || signal.aborted) return undefined;
  logger.error({ err }, 'leadership lost');
  return POD_EXIT.failed;
}

async function serve(context: ComponentContext<Settings>): Promise<void> {
  const { client, settings, clock, logger, signal } = context;
  const tracker = new EventTracker({ settings, client, clock, logger, metrics: settings.metrics });
  let isActive = false;
  const servers = await openServers(settings, tracker, () => isActive);
  const lead = (leading: AbortSignal): Promise<void> => {
    isActive = true;
    return tracker.run(leading);
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
      onNewLeader: (holder) => logger.info({ holder }, 'another event tracker is active'),
    });
    await election.run(signal);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    logger.info('event tracker stopped');
  }
}

async function openServers(
  { metricsAddress, healthAddress, metrics }: Settings,
  tracker: EventTracker,
  isActive: () => boolean,
): Promise<readonly HttpServer[]> {
  const opened: HttpServer[] = [];
  if (metricsAddress !== undefined) {
    const pages = { '/metrics': () => metrics.page(tracker.pending) };
    opened.push(await startHealthServer({ ...metricsAddress, pages }));
  }
  if (healthAddress !== undefined) {
    const checks = [
      { name: 'ping', kind: 'healthz', check: () => {} },
      // A standby is ready: it is ready to take over.
      { name: 'informers', kind: 'readyz', check: () => void (isActive() && tracker.checkReady()) },
    ] as const;
    opened.push(await startHealthServer({ ...healthAddress, checks }));
  }
  return opened;
}
