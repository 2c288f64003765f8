import { FreshView } from '@turnsole/kube/controllers/fresh-view';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { Controller, Informer } from '@turnsole/kube/runtime/index';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy } from '../../api/index.ts';
import { aborted } from '../../process/signals.ts';
import { DispatchController } from './dispatch/dispatch-controller.ts';
import { Holds } from './dispatch/holds.ts';
import { Notifier } from './dispatch/notify.ts';
import type { EventTrackerMetrics } from './metrics.ts';
import { loadExpressions } from './policy/expression.ts';
import type { EventTrackerSettings } from './settings.ts';
import { TriggerController } from './triggers/trigger-controller.ts';
import { isPending } from './triggers/trigger-list.ts';
import { Workloads } from './triggers/workloads.ts';

/** What the work of the active tracker needs. */
interface EventTrackerOptions extends Basics {
  readonly settings: EventTrackerSettings;
  readonly metrics: EventTrackerMetrics;
}

/** The active one of the event trackers of a namespace. */
export class EventTracker {
  readonly #options: EventTrackerOptions;
  readonly #policies: FreshView<EventTrackerPolicy>;
  readonly #workloads: Workloads;

  constructor(options: EventTrackerOptions) {
    this.#options = options;
    const { client, clock, logger, settings } = options;
    const { namespace, watchNamespace } = settings;
    const informer = new Informer<EventTrackerPolicy>({
      ...{ client, clock, logger, namespace },
      resource: EVENT_TRACKER_POLICIES,
    });
    this.#policies = new FreshView(informer, {}, clock);
    this.#workloads = new Workloads({ client, clock, logger, namespace: watchNamespace });
  }

  /** Triggers that wait to be handed over. */
  get pending(): number {
    const policies = this.#policies.list();
    return policies.reduce((sum, { status }) => sum + (status?.triggers ?? []).filter(isPending).length, 0);
  }

  /** Throws what keeps the tracker from seeing changes. */
  checkReady(): void {
    if (!this.#policies.informer.hasSynced) throw new Error('policies are not listed yet');
    this.#workloads.checkReady();
  }

  /** Works until the signal aborts. What is under way then is stored, or done anew by the next one. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, settings } = this.#options;
    const notifier = new Notifier({ client, namespace: settings.namespace, env: settings.env });
    const controllers = await this.#controllers(notifier);
    this.#policies.informer.start();
    this.#workloads.start();
    try {
      await Promise.all(controllers.map((controller) => controller.start(signal)));
      await aborted(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.all(controllers.map((controller) => controller.stop()));
      await Promise.all([this.#policies.informer.stop(), this.#workloads.stop()]);
      notifier.close();
    }
  }

  async #controllers(notifier: Notifier): Promise<readonly Controller[]> {
    const { client, clock, logger, metrics } = this.#options;
    const shared = { client, clock, logger, policies: this.#policies };
    const triggers = new TriggerController({
      ...shared,
      workloads: this.#workloads,
      read: await loadExpressions(),
      onTriggers: metrics.triggered,
    });
    const holds = new Holds(Math.random, () => performance.now());
    const dispatch = new DispatchController({ ...shared, notifier, holds, onOutcome: metrics.outcome });
    return [triggers, dispatch].map(
      (parts) =>
        new Controller({
          ...{
            clock,
            logger,
            name: parts.name,
            sources: parts.sources,
            metrics: metrics.controller(parts.name),
          },
          reconcile: (request, passSignal) => parts.reconcile(request, passSignal),
        }),
    );
  }
}
