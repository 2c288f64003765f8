import type { Environment } from '@turnsole/kube/text/environment';
import { OPERATOR_LEASE } from '../../api/index.ts';
import { knownImagesOf } from '../../chaos/known-images.ts';
import { ownImageOf } from '../../chaos/own-image.ts';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import {
  ELECTED_FLAGS,
  type ElectedSettings,
  electedSettings,
  electionOf,
  failedAsLeader,
  LOGGER_FLAGS,
  LOGGER_FLAGS_WITHOUT_EFFECT,
  openServers,
} from '../../process/elected.ts';
import { type FlagValues, textFlag } from '../../process/flags.ts';
import type { HealthPage } from '../../process/http/health.ts';
import { createMetrics, type Metrics } from '../../process/metrics.ts';
import { aborted } from '../../process/signals.ts';
import { startTraces } from '../../process/traces/start-traces.ts';
import { UsageError } from '../../process/usage-error.ts';
import { otelHandedOn } from '../../tracing/otel-variables.ts';
import { type Operator, startOperator } from './start-operator.ts';

/** What the process gives the operator; tests give their own. */
interface OperatorIo extends ComponentIo {
  /** Called with the ports once the servers listen, for addresses with port 0. */
  readonly onListening?: (ports: OperatorPorts) => void;
}

interface OperatorPorts {
  readonly metrics: number | undefined;
  readonly health: number | undefined;
}

interface OperatorSettings extends Pick<ElectedSettings, 'leaderElect' | 'metricsAddress' | 'healthAddress'> {
  /** Empty for all. */
  readonly watchNamespace: string;
  readonly metrics: Metrics;
}

const FLAGS = { kubeconfig: textFlag('FILE'), ...ELECTED_FLAGS, ...LOGGER_FLAGS };

/**
 * Entry point of `turnsole operator`. Resolves to the exit code when it is stopped (0), when it cannot go on (1), or at once
 * when its command line or environment is wrong (2).
 */
export function runOperator(argv: readonly string[], env: Environment, io: OperatorIo = {}): Promise<number> {
  const operator = {
    name: 'operator',
    flags: FLAGS,
    flagsWithoutEffect: LOGGER_FLAGS_WITHOUT_EFFECT,
    settings: readSettings,
    clientOptions: ({ metrics }: OperatorSettings) => ({ onCall: metrics.apiCalls() }),
    serve: async (context: ComponentContext<OperatorSettings>) => {
      await serve(context, io.onListening);
      context.logger.info('operator stopped');
    },
    failed: failedAsLeader,
  };
  return runComponent(operator, argv, env, io);
}

function readSettings(flags: FlagValues<typeof FLAGS>, env: Environment): OperatorSettings {
  return {
    ...electedSettings(flags),
    watchNamespace: watchNamespace(env),
    metrics: createMetrics(),
  };
}

/** WATCH_NAMESPACE must be set, as upstream demands: empty for all namespaces is a decision, forgetting it is not. */
function watchNamespace(env: Readonly<Record<string, string | undefined>>): string {
  const namespace = env.WATCH_NAMESPACE;
  if (namespace === undefined) {
    throw new UsageError(
      'environment variable WATCH_NAMESPACE is not set; set it to a namespace, or to nothing for all namespaces',
    );
  }
  return namespace.trim();
}

async function serve(
  { client, namespace, settings, env, clock, logger, signal }: ComponentContext<OperatorSettings>,
  onListening: OperatorIo['onListening'],
): Promise<void> {
  const ownImage = ownImageOf(env);
  let operator: Operator | undefined;
  let ended: Operator | undefined;
  const traces = await startTraces(env, { clock, warn: (fields, text) => logger.warn(fields, text) });
  const pages = { '/metrics': pageOf(settings, () => operator) };
  const servers = await openServers(settings, pages, ['informers', () => operator?.checkReady()], logger);
  onListening?.({ metrics: servers.metrics?.port, health: servers.health?.port });
  const lead = async (leading: AbortSignal): Promise<void> => {
    operator = await startOperator({
      client,
      namespace: settings.watchNamespace,
      logger,
      signal: leading,
      metrics: settings.metrics.controller('chaosengine'),
      runnerImage: env.CHAOS_RUNNER_IMAGE,
      monitorImage: env.CHAOS_MONITOR_IMAGE,
      ownImage,
      knownImages: knownImagesOf(env),
      otel: otelHandedOn(env),
      traces,
      protectedNamespaces: env.PROTECTED_NAMESPACES,
      annotationKey: env.CUSTOM_ANNOTATION,
    });
    ended = operator;
    await aborted(leading);
    await operator.stopWork();
    operator = undefined;
  };
  try {
    if (!settings.leaderElect) {
      await lead(signal);
      await ended?.stop();
      return;
    }
    const election = electionOf({
      client,
      namespace,
      name: OPERATOR_LEASE,
      logger,
      lead,
      onNewLeader: (holder) => logger.info({ holder }, 'another operator leads'),
    });
    await election.run(signal);
    // After a thousand engines thousands of Events may wait: the successor is at work already.
    await ended?.stop();
  } finally {
    await traces?.close();
    await servers.close();
  }
}

/** The page `/metrics`: how many engines there are is counted when it is asked for. */
function pageOf({ metrics }: OperatorSettings, operatorNow: () => Operator | undefined): HealthPage {
  const engines = metrics.gauge('turnsole_engines', 'ChaosEngines by engineStatus.', ['status']);
  return async () => {
    const counts = operatorNow()?.countEngines() ?? new Map<string, number>();
    for (const status of ['', 'initialized', 'completed', 'stopped']) {
      engines.set(counts.get(status) ?? 0, { status: status === '' ? 'new' : status });
    }
    return metrics.page();
  };
}
