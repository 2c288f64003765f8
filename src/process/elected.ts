/** Components of which one replica works at a time, while the others stand by. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { LeaderElection, LeadershipLostError } from '../kube/runtime/leader-election.ts';
import type { ComponentContext, ComponentFailure } from './component.ts';
import { POD_EXIT } from './exit-codes.ts';
import type { BindAddress } from './flags.ts';
import { type HealthPage, startHealthServer } from './http/health.ts';
import type { HttpServer } from './http/server.ts';

/** The settings that every such component has. */
export interface ElectedSettings {
  /** False for a component that is the only one: it works at once. */
  readonly leaderElect: boolean;
  /** Namespace of the lease. */
  readonly namespace: string;
  /** Undefined for no such server. */
  readonly metricsAddress: BindAddress | undefined;
  readonly healthAddress: BindAddress | undefined;
}

/** The parts of an elected component that are its own. */
interface ElectedWork {
  /** For the log: `event tracker`. */
  readonly title: string;
  /** Name of the lease by which one replica of a namespace is active. */
  readonly lease: string;
  /** Works until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Name of the readiness check, and what it does while this replica is active. @throws when it is not ready, with the reason */
  readonly ready: readonly [name: string, check: () => void];
  /** The page `/metrics`. */
  readonly page: HealthPage;
}

/** For `failed` of a component: ends at once when leadership is lost, as a successor may be at work; the kubelet starts a new candidate. */
export function failedAsLeader(err: unknown, { logger, signal }: ComponentFailure): number | undefined {
  if (!(err instanceof LeadershipLostError) || signal.aborted) return undefined;
  logger.error({ err }, 'leadership lost');
  return POD_EXIT.failed;
}

/**
 * For `serve` of a component: serves metrics and health, and works once this replica is elected.
 *
 * @throws LeadershipLostError · whatever the work throws
 */
export async function serveElected<Settings extends ElectedSettings>(
  { client, settings, clock, logger, signal }: ComponentContext<Settings>,
  work: ElectedWork,
): Promise<void> {
  const { title, lease } = work;
  let isActive = false;
  const servers = await openServers(settings, work, () => isActive);
  const lead = (leading: AbortSignal): Promise<void> => {
    isActive = true;
    return work.run(leading);
  };
  try {
    if (!settings.leaderElect) return await lead(signal);
    const election = new LeaderElection({
      client,
      namespace: settings.namespace,
      name: lease,
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      clock,
      logger,
      lead,
      onNewLeader: (holder) => logger.info({ holder }, `another ${title} is active`),
    });
    await election.run(signal);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    logger.info(`${title} stopped`);
  }
}

async function openServers(
  { metricsAddress, healthAddress }: ElectedSettings,
  { page, ready: [name, check] }: ElectedWork,
  isActive: () => boolean,
): Promise<readonly HttpServer[]> {
  const opened: HttpServer[] = [];
  if (metricsAddress !== undefined)
    opened.push(await startHealthServer({ ...metricsAddress, pages: { '/metrics': page } }));
  if (healthAddress !== undefined) {
    const checks = [
      { name: 'ping', kind: 'healthz', check: () => {} },
      // A standby is ready: it is ready to take over.
      { name, kind: 'readyz', check: () => void (isActive() && check()) },
    ] as const;
    opened.push(await startHealthServer({ ...healthAddress, checks }));
  }
  return opened;
}
