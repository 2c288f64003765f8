/** A whole component, as an example for new ones: how many pods of a namespace run, for Prometheus. Its test starts it. */

import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { Informer } from '@turnsole/kube/runtime/informer';
import type { Environment } from '@turnsole/kube/text/environment';
import { type ComponentContext, type ComponentIo, runComponent } from '../component.ts';
import { addressFlag, type BindAddress, type FlagValues, textFlag } from '../flags.ts';
import { startHealthServer } from '../http/health.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { aborted } from '../signals.ts';
import { UsageError } from '../usage-error.ts';

/** What the process gives; tests give their own. */
export interface PodCounterIo extends ComponentIo {
  readonly onListening?: (port: number) => void;
}

const DEFAULT_ADDRESS = { port: 8080 };
const FLAGS = { kubeconfig: textFlag('FILE'), 'bind-address': addressFlag(DEFAULT_ADDRESS) };

interface Settings {
  readonly address: BindAddress;
  readonly watched: string;
  readonly metrics: Metrics;
}

/**
 * Serves the number of running pods of the namespace that WATCH_NAMESPACE names, until it is stopped.
 *
 * @returns exit code: 0 stopped, 1 failed, 2 wrong command line or environment
 */
export function runPodCounter(
  argv: readonly string[],
  env: Environment,
  io: PodCounterIo = {},
): Promise<number> {
  const podCounter = {
    name: 'pod-counter',
    flags: FLAGS,
    settings: readSettings,
    clientOptions: ({ metrics }: Settings) => ({ onCall: metrics.apiCalls() }),
    serve: (context: ComponentContext<Settings>) => serve(context, io.onListening),
  };
  return runComponent(podCounter, argv, env, io);
}

function readSettings(flags: FlagValues<typeof FLAGS>, env: Environment): Settings {
  const watched = env.WATCH_NAMESPACE ?? '';
  if (watched === '') throw new UsageError('environment variable WATCH_NAMESPACE is not set');
  return { address: flags['bind-address'] ?? DEFAULT_ADDRESS, watched, metrics: createMetrics() };
}

async function serve(
  { client, clock, logger, settings, signal }: ComponentContext<Settings>,
  onListening: PodCounterIo['onListening'],
): Promise<void> {
  const { address, watched, metrics } = settings;
  const running = metrics.gauge('pods_running', 'Pods of the namespace that run.');
  const pods = new Informer<Pod>({ client, clock, logger, resource: PODS, namespace: watched });
  const page = (): ReturnType<Metrics['page']> => {
    running.set(pods.lister.list().filter(({ status }) => status?.phase === 'Running').length);
    return metrics.page();
  };
  pods.start();
  try {
    await pods.whenSynced(signal);
    const server = await startHealthServer({ ...address, pages: { '/metrics': page } });
    logger.info({ port: server.port }, 'pod counter started');
    onListening?.(server.port);
    await aborted(signal);
    await server.close();
  } finally {
    await pods.stop();
  }
}
