import { steadyClock } from '../../kube/runtime/clock.ts';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { failedAsLeader, serveElected } from '../../process/elected.ts';
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
    failed: failedAsLeader,
  };
  // What is tried again waits for a time of this process: a clock that is set back holds nothing up.
  return runComponent(component, argv, env, { clock: steadyClock, ...io });
}

function serve(context: ComponentContext<Settings>): Promise<void> {
  const { client, settings, clock, logger } = context;
  const { metrics } = settings;
  const subscriber = new Subscriber({ settings, client, clock, logger, metrics });
  return serveElected(context, {
    title: 'subscriber',
    lease: LEASE,
    run: (signal) => subscriber.run(signal),
    ready: ['control-plane', () => subscriber.checkReady()],
    page: () => metrics.page(subscriber.spool),
  });
}
