import type { Environment } from '@turnsole/kube/text/environment';
import { controllerLease } from '@turnsole/workflows/kinds/controller-names';
import {
  type ComponentContext,
  type ComponentFailure,
  type ComponentIo,
  runComponent,
} from '../../process/component.ts';
import { electionOf, failedAsLeader, openServers } from '../../process/elected.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { aborted } from '../../process/signals.ts';
import { startTraces } from '../../process/traces/start-traces.ts';
import {
  type ComponentSettings,
  FLAGS,
  FLAGS_WITHOUT_EFFECT,
  readComponentSettings,
} from './component-settings.ts';
import { withConfiguration } from './configuration/apply-configuration.ts';
import { ConfigurationError, type MetricsConfiguration } from './configuration/configuration.ts';
import { FollowedConfiguration } from './configuration/followed-configuration.ts';
import { WORKFLOW_QUEUE } from './metrics/queues.ts';
import { startWorkflowController, type WorkflowController } from './start-workflow-controller.ts';

/**
 * Entry point of `turnsole workflow-controller`. Resolves to the exit code when it is stopped (0), when it cannot go on (1), or at once
 * when its command line or environment is wrong (2).
 */
export function runWorkflowController(
  argv: readonly string[],
  env: Environment,
  io: ComponentIo = {},
): Promise<number> {
  const component = {
    name: 'workflow-controller',
    flags: FLAGS,
    flagsWithoutEffect: FLAGS_WITHOUT_EFFECT,
    settings: readComponentSettings,
    clientOptions: ({ workflowMetrics }: ComponentSettings) => ({ onCall: workflowMetrics.called }),
    onLine: ({ workflowMetrics }: ComponentSettings) => workflowMetrics.logged,
    serve,
    failed,
  };
  return runComponent(component, argv, env, io);
}

function failed(err: unknown, failure: ComponentFailure): number | undefined {
  if (!(err instanceof ConfigurationError)) return failedAsLeader(err, failure);
  failure.logger.error({ detail: err.message }, 'workflow controller cannot start');
  return POD_EXIT.cannotStart;
}

async function serve(context: ComponentContext<ComponentSettings>): Promise<void> {
  const { client, namespace, settings, clock, logger, signal } = context;
  const basics = { client, clock, logger };
  const { environment, workflowMetrics } = settings;
  let controller: WorkflowController | undefined;
  for (const [name, why] of settings.withoutEffect) logger.info({ name, why }, 'a setting has no effect');
  const configuration = new FollowedConfiguration({
    ...basics,
    namespace,
    name: settings.configMap,
    onChange: ({ metrics }) => {
      workflowMetrics.ttlMs = metrics?.ttlMs;
      controller?.settingsChanged();
    },
  });
  await configuration.start(signal);
  const start = configuration.current;
  workflowMetrics.ttlMs = start.metrics?.ttlMs;
  if (start.metrics?.withoutLegacy !== true) workflowMetrics.showLegacyNames();
  const isNamespaced = settings.isNamespaced || start.namespace !== undefined;
  const managedNamespace = settings.managedNamespace || (start.namespace ?? '');
  const instanceId = settings.instanceId || (start.instanceId ?? '');
  const traces = await startTraces(context.env, { clock, warn: (fields, text) => logger.warn(fields, text) });
  const addresses = { ...settings, metricsAddress: metricsAddressOf(settings, start.metrics) };
  const pages = { [start.metrics?.path ?? '/metrics']: () => workflowMetrics.page() };
  const servers = await openServers(addresses, pages, ['informers', () => controller?.checkReady()], logger);
  const lead = async (leading: AbortSignal): Promise<void> => {
    const watched = managedNamespace === '' ? namespace : managedNamespace;
    if (start.initialDelayMs !== undefined) await clock.sleep(start.initialDelayMs, leading);
    controller = await startWorkflowController({
      ...basics,
      namespace: isNamespaced ? watched : '',
      ownNamespace: namespace,
      instanceId,
      settings: () => withConfiguration(settings.workflows, configuration.current),
      signal: leading,
      metrics: workflowMetrics.queue(WORKFLOW_QUEUE),
      workflowMetrics,
      workers: settings.workers,
      traces,
      propagationPolicy: environment.propagationPolicy,
    });
    await aborted(leading);
    await controller.stop();
    controller = undefined;
  };
  try {
    if (!settings.leaderElect) {
      await lead(signal);
      return;
    }
    const election = electionOf({
      ...basics,
      namespace,
      name: controllerLease(instanceId),
      ...environment.lease,
      lead,
      onNewLeader: (holder) => logger.info({ holder }, 'another workflow controller leads'),
    });
    await election.run(signal);
  } finally {
    await configuration.stop();
    await traces?.close();
    await servers.close();
    logger.info('workflow controller stopped');
  }
}

/** The flag wins over the configuration. */
function metricsAddressOf(
  { metricsAddress, hasMetricsFlag }: ComponentSettings,
  { enabled = true, port }: MetricsConfiguration = {},
): ComponentSettings['metricsAddress'] {
  if (metricsAddress === undefined || hasMetricsFlag) return metricsAddress;
  if (!enabled) return undefined;
  return port === undefined ? metricsAddress : { port };
}
