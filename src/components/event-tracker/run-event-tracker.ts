import type { Environment } from '@turnsole/kube/text/environment';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { failedAsLeader, LOGGER_FLAGS_WITHOUT_EFFECT, serveElected } from '../../process/elected.ts';
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
    flagsWithoutEffect: LOGGER_FLAGS_WITHOUT_EFFECT,
    settings: (...given: Parameters<typeof readSettings>): Settings => ({
      ...readSettings(...given),
      metrics: eventTrackerMetrics(),
    }),
    clientOptions: ({ metrics }: Settings) => ({ onCall: metrics.apiCalls }),
    serve,
    failed: failedAsLeader,
  };
  return runComponent(component, argv, env, io);
}

function serve(context: ComponentContext<Settings>): Promise<void> {
  const { client, settings, clock, logger } = context;
  const { metrics } = settings;
  const tracker = new EventTracker({ settings, client, clock, logger, metrics });
  return serveElected(context, {
    title: 'event tracker',
    lease: LEASE,
    run: (signal) => tracker.run(signal),
    ready: ['informers', () => tracker.checkReady()],
    page: () => metrics.page(tracker.pending),
  });
}
