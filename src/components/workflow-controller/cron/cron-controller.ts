import { FreshView } from '@turnsole/kube/controllers/fresh-view';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { ControllerMetrics } from '@turnsole/kube/runtime/controller';
import { Controller, EventRecorder, fromMapped, fromObjects, Informer } from '@turnsole/kube/runtime/index';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import { CRON_WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import { EVENT_SOURCE } from '../events/event-publisher.ts';
import { BY_CRON_WORKFLOW, CRON_INDEXES } from './children.ts';
import { type CronObserver, CronReconciler } from './cron-reconciler.ts';

const DEFAULT_WORKERS = 8;

interface CronControllerOptions extends BasicsWithRandom {
  /** Empty for all. */
  readonly namespace: string;
  /** The controller's local copy of workflows, with {@link CRON_INDEXES}. */
  readonly workflows: Informer<Workflow>;
  /** Selects the CronWorkflows of this controller. @default all */
  readonly labelSelector?: string;
  /** The templates that workflows of a namespace may refer to. */
  readonly libraryOf: (namespace: string) => TemplateLibrary;
  readonly observer: CronObserver | undefined;
  readonly metrics?: ControllerMetrics;
  /** @default 8 */
  readonly workers?: number | undefined;
}

/** Makes workflows of CronWorkflows. One timer, that of its queue, waits for the earliest time of all of them. */
export class CronController {
  readonly #informer: Informer<CronWorkflow>;
  readonly #controller: Controller;
  readonly #recorder: EventRecorder;

  constructor(options: CronControllerOptions) {
    const { clock, namespace, workflows } = options;
    this.#informer = new Informer<CronWorkflow>({
      ...options,
      resource: CRON_WORKFLOWS,
      namespace: namespace === '' ? undefined : namespace,
    });
    this.#recorder = new EventRecorder({ ...options, component: EVENT_SOURCE });
    const reconciler = new CronReconciler({
      ...options,
      crons: new FreshView(this.#informer, {}, clock),
      workflows: new FreshView(workflows, CRON_INDEXES, clock),
      emit: (cron, event) => this.#recorder.recordOn(CRON_WORKFLOWS, cron, event),
    });
    this.#controller = new Controller({
      ...options,
      name: 'cronworkflow',
      reconcile: reconciler.reconcile,
      sources: [
        fromObjects(this.#informer),
        fromMapped(workflows, (workflow) => CRON_INDEXES[BY_CRON_WORKFLOW]?.(workflow) ?? []),
      ],
      workers: options.workers ?? DEFAULT_WORKERS,
    });
  }

  /** Resolves when it works on a complete view. @throws ApiError when the kind may not be listed · the signal's reason */
  async start(signal?: AbortSignal): Promise<void> {
    this.#informer.start();
    await this.#controller.start(signal);
  }

  /** Lets the passes under way end and the Events be written. Idempotent. */
  async stop(): Promise<void> {
    await this.#controller.stop();
    await this.#informer.stop();
    await this.#recorder.flush();
  }
}
