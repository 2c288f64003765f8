import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { OPERATOR_LEASE } from '../api/index.ts';
import { knownImagesOf } from '../api/known-images.ts';
import { ownImageOf } from '../api/own-image.ts';
import { createClient } from '../kube/client/client.ts';
import { loadInClusterConfig } from '../kube/client/config/in-cluster.ts';
import type { ClusterConfig, KubeClient } from '../kube/client/types.ts';
import { type HealthServer, startHealthServer } from '../kube/runtime/health.ts';
import { LeaderElection, LeadershipLostError } from '../kube/runtime/leader-election.ts';
import { createLogger, type Logger } from '../kube/runtime/log.ts';
import { createMetrics, type Metrics } from '../kube/runtime/metrics.ts';
import { terminationSignal } from '../kube/runtime/termination-signal.ts';
import { type OperatorFlags, OperatorUsageError, parseOperatorFlags } from './flags.ts';
import { type Operator, startOperator } from './start-operator.ts';

const EXIT_STOPPED = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** What the process gives the operator; tests give their own. */
export interface OperatorIo {
  /** @default the cluster this pod runs in */
  readonly config?: ClusterConfig;
  /** @default JSON lines on standard output */
  readonly logger?: Logger;
  /** @default aborted on SIGTERM and SIGINT */
  readonly signal?: AbortSignal;
  /** Told the ports once the servers listen, for addresses with port 0. */
  readonly onListening?: (ports: { readonly metrics?: number; readonly health?: number }) => void;
}

/**
 * Entry point of `turnsole operator`. Resolves to the exit code when it is stopped (0), when it cannot go on (1), or at once
 * when its command line or environment is wrong (2).
 */
export async function runOperator(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: OperatorIo = {},
): Promise<number> {
  const logger = io.logger ?? createLogger({ component: 'operator' });
  let flags: OperatorFlags;
  let namespace: string;
  try {
    flags = parseOperatorFlags(argv);
    namespace = watchNamespace(env);
  } catch (error) {
    if (!(error instanceof OperatorUsageError)) throw error;
    logger.error({ detail: error.message }, 'operator cannot start');
    return EXIT_USAGE;
  }
  const signal = io.signal ?? terminationSignal();
  let client: KubeClient | undefined;
  try {
    const config = io.config ?? (await loadInClusterConfig(env));
    const metrics = createMetrics();
    client = createClient(config, { onCall: metrics.apiCalls() });
    await serve({
      client,
      config,
      flags,
      namespace,
      env,
      logger,
      signal,
      metrics,
      onListening: io.onListening,
    });
    logger.info('operator stopped');
    return EXIT_STOPPED;
  } catch (err) {
    if (signal.aborted) return EXIT_STOPPED;
    // A successor may be at work already: end at once, the kubelet starts a new candidate.
    logger.error({ err }, err instanceof LeadershipLostError ? 'leadership lost' : 'operator failed');
    return EXIT_FAILED;
  } finally {
    client?.close();
  }
}

/** WATCH_NAMESPACE must be set, as upstream demands: empty for all namespaces is a decision, forgetting it is not. */
function watchNamespace(env: Readonly<Record<string, string | undefined>>): string {
  const namespace = env.WATCH_NAMESPACE;
  if (namespace === undefined) {
    throw new OperatorUsageError(
      'environment variable WATCH_NAMESPACE is not set; set it to a namespace, or to nothing for all namespaces',
    );
  }
  return namespace.trim();
}

interface ServeInput {
  readonly client: KubeClient;
  readonly config: ClusterConfig;
  readonly flags: OperatorFlags;
  readonly namespace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly metrics: Metrics;
  readonly onListening: OperatorIo['onListening'];
}

async function serve(input: ServeInput): Promise<void> {
  const { client, config, flags, namespace, env, logger, signal, metrics } = input;
  const ownImage = ownImageOf(env);
  let operator: Operator | undefined;
  let ended: Operator | undefined;
  const servers = await openServers(flags, metrics, () => operator);
  input.onListening?.(servers.ports);
  const lead = async (leading: AbortSignal): Promise<void> => {
    operator = await startOperator({
      client,
      namespace,
      logger,
      signal: leading,
      metrics: metrics.controller('chaosengine'),
      ...(env.CHAOS_RUNNER_IMAGE ? { runnerImage: env.CHAOS_RUNNER_IMAGE } : {}),
      ...(env.CHAOS_MONITOR_IMAGE ? { monitorImage: env.CHAOS_MONITOR_IMAGE } : {}),
      ...(ownImage === undefined ? {} : { ownImage }),
      knownImages: knownImagesOf(env),
      ...(env.OTEL_EXPORTER_OTLP_ENDPOINT ? { otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT } : {}),
      ...(env.PROTECTED_NAMESPACES ? { protectedNamespaces: env.PROTECTED_NAMESPACES } : {}),
      ...(env.CUSTOM_ANNOTATION ? { annotationKey: env.CUSTOM_ANNOTATION } : {}),
    });
    ended = operator;
    await aborted(leading);
    await operator.stopWork();
    operator = undefined;
  };
  try {
    if (!flags.leaderElect) {
      await lead(signal);
      await ended?.stop();
      return;
    }
    const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
    const election = new LeaderElection({
      client,
      namespace: config.namespace,
      name: OPERATOR_LEASE,
      identity,
      logger,
      lead,
      onNewLeader: (holder) => logger.info({ holder }, 'another operator leads'),
    });
    await election.run(signal);
    // After a thousand engines thousands of Events may wait: the successor is at work already.
    await ended?.stop();
  } finally {
    await servers.close();
  }
}

async function openServers(
  flags: OperatorFlags,
  metrics: Metrics,
  operatorNow: () => Operator | undefined,
): Promise<{ ports: { metrics?: number; health?: number }; close(): Promise<void> }> {
  const engines = metrics.gauge('turnsole_engines', 'ChaosEngines by engineStatus.', ['status']);
  const page = async (): Promise<{ contentType: string; body: string }> => {
    const counts = operatorNow()?.countEngines() ?? new Map<string, number>();
    for (const status of ['', 'initialized', 'completed', 'stopped']) {
      engines.set(counts.get(status) ?? 0, { status: status === '' ? 'new' : status });
    }
    return metrics.page();
  };
  const opened: HealthServer[] = [];
  const ports: { metrics?: number; health?: number } = {};
  const { metricsAddress, healthAddress } = flags;
  if (metricsAddress !== undefined) {
    const server = await startHealthServer({ ...metricsAddress, pages: { '/metrics': page } });
    opened.push(server);
    ports.metrics = server.port;
  }
  if (healthAddress !== undefined) {
    const server = await startHealthServer({
      ...healthAddress,
      checks: [
        { name: 'ping', kind: 'healthz', check: () => {} },
        // A standby is ready: it is ready to take over.
        { name: 'informers', kind: 'readyz', check: () => operatorNow()?.checkReady() },
      ],
    });
    opened.push(server);
    ports.health = server.port;
  }
  return { ports, close: async () => void (await Promise.all(opened.map((server) => server.close()))) };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
