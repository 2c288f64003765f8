/** Components of which one replica works at a time, while the others stand by. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '@turnsole/kube/base/log';
import {
  LeaderElection,
  type LeaderElectionOptions,
  LeadershipLostError,
} from '@turnsole/kube/runtime/leader-election';
import type { HttpServer } from '@turnsole/kube/serve/server';
import type { ComponentContext, ComponentFailure } from './component.ts';
import { POD_EXIT } from './exit-codes.ts';
import { addressFlag, type BindAddress, type FlagValues, SWITCH, textFlag } from './flags.ts';
import { type HealthPage, startHealthServer } from './http/health.ts';

/** The flags that every such component has. */
export const ELECTED_FLAGS = {
  'leader-elect': SWITCH,
  'metrics-bind-address': addressFlag({ port: 8080 }),
  'health-probe-bind-address': addressFlag({ port: 8081 }),
};

/** Flags of the logger of upstream's components; their help lists them beside {@link ELECTED_FLAGS}. */
export const LOGGER_FLAGS = {
  'zap-devel': SWITCH,
  'zap-encoder': textFlag('FORMAT'),
  'zap-log-level': textFlag('LEVEL'),
  'zap-stacktrace-level': textFlag('LEVEL'),
  'zap-time-encoding': textFlag('FORMAT'),
};

export const LOGGER_FLAGS_WITHOUT_EFFECT: Readonly<Record<keyof typeof LOGGER_FLAGS, string>> = {
  'zap-devel': 'lines are JSON, for development as well',
  'zap-encoder': 'lines are JSON',
  'zap-log-level': 'lines of all levels from info on are logged',
  'zap-stacktrace-level': 'unforeseen errors are logged with their stack, others without',
  'zap-time-encoding': 'times are logged in ISO 8601',
};

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

/** What the flags set. */
export function electedSettings(
  flags: FlagValues<typeof ELECTED_FLAGS>,
): Pick<ElectedSettings, 'leaderElect' | 'metricsAddress' | 'healthAddress'> {
  return {
    leaderElect: flags['leader-elect'],
    metricsAddress: flags['metrics-bind-address'],
    healthAddress: flags['health-probe-bind-address'],
  };
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
  const { title, lease, page } = work;
  const [name, check] = work.ready;
  let isActive = false;
  const isReady = (): void => void (isActive && check());
  const servers = await openServers(settings, { '/metrics': page }, [name, isReady], logger);
  const lead = (leading: AbortSignal): Promise<void> => {
    isActive = true;
    return work.run(leading);
  };
  try {
    if (!settings.leaderElect) return await lead(signal);
    const election = electionOf({
      client,
      namespace: settings.namespace,
      name: lease,
      clock,
      logger,
      lead,
      onNewLeader: (holder) => logger.info({ holder }, `another ${title} is active`),
    });
    await election.run(signal);
  } finally {
    await servers.close();
    logger.info(`${title} stopped`);
  }
}

/** An election in which this process is one candidate of several on its host. */
export function electionOf(options: Omit<LeaderElectionOptions, 'identity'>): LeaderElection {
  return new LeaderElection({ ...options, identity: `${hostname()}_${randomBytes(4).toString('hex')}` });
}

/** The servers of a component of which one replica works. */
interface ElectedServers {
  readonly metrics: HttpServer | undefined;
  readonly health: HttpServer | undefined;
  close(): Promise<void>;
}

/**
 * Opens the server of the metrics' pages, and that of the health checks, each at its address.
 *
 * @param ready name of the readiness check, and what it does; a standby is ready: it is ready to take over
 * @throws Error that names the port that cannot be used; then neither server is open
 */
export async function openServers(
  { metricsAddress, healthAddress }: Pick<ElectedSettings, 'metricsAddress' | 'healthAddress'>,
  pages: Readonly<Record<string, HealthPage>>,
  [name, check]: readonly [name: string, check: () => void],
  logger: Logger,
): Promise<ElectedServers> {
  const checks = [
    { name: 'ping', kind: 'healthz', check: () => {} },
    { name, kind: 'readyz', check },
  ] as const;
  const common = { onServerError: (err: Error) => logger.error({ err }, 'cannot accept a connection') };
  const metrics = metricsAddress && (await startHealthServer({ ...metricsAddress, ...common, pages }));
  let health: HttpServer | undefined;
  try {
    health = healthAddress && (await startHealthServer({ ...healthAddress, ...common, checks }));
  } catch (error) {
    await metrics?.close();
    throw error;
  }
  return {
    metrics,
    health,
    close: async () => void (await Promise.all([metrics?.close(), health?.close()])),
  };
}
