import { steadyClock } from '@turnsole/kube/base/clock';
import type { Environment } from '@turnsole/kube/text/environment';
import { SUBSCRIBER_LEASE } from '../../api/agent-objects.ts';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { failedAsLeader, serveElected } from '../../process/elected.ts';
import type { PlanManifest } from './commands/plan-request.ts';
import { type SubscriberMetrics, subscriberMetrics } from './metrics.ts';
import { FLAGS, readSettings, type SubscriberSettings } from './settings.ts';
import { Subscriber } from './start-subscriber.ts';

type Settings = SubscriberSettings & { readonly metrics: SubscriberMetrics };

/**
 * Entry point of `turnsole subscriber`: carries work from a control plane into the cluster, and results back, until it is stopped.
 * Planning is a part of the program that this room cannot reach, and is handed in.
 *
 * @returns exit code: 0 stopped, 1 failed or leadership lost, 2 wrong command line or environment
 */
export function runSubscriber(
  argv: readonly string[],
  env: Environment,
  { planManifest, ...io }: ComponentIo & { readonly planManifest?: PlanManifest } = {},
): Promise<number> {
  const component = {
    name: 'subscriber',
    flags: FLAGS,
    settings: (...given: Parameters<typeof readSettings>): Settings => ({
      ...readSettings(...given),
      metrics: subscriberMetrics(),
    }),
    clientOptions: ({ metrics }: Settings) => ({ onCall: metrics.apiCalls }),
    serve: (context: ComponentContext<Settings>) => serve(context, planManifest),
    failed: failedAsLeader,
  };
  // Retries wait by the time of this process: a system clock that is set back delays nothing.
  return runComponent(component, argv, env, { clock: steadyClock, ...io });
}

function serve(context: ComponentContext<Settings>, planManifest: PlanManifest | undefined): Promise<void> {
  const { client, settings, clock, logger } = context;
  const { metrics } = settings;
  const subscriber = new Subscriber({ settings, client, clock, logger, metrics, planManifest });
  return serveElected(context, {
    title: 'subscriber',
    lease: SUBSCRIBER_LEASE,
    run: (signal) => subscriber.run(signal),
    ready: ['control-plane', () => subscriber.checkReady()],
    page: () => metrics.page(subscriber.spool),
  });
}
