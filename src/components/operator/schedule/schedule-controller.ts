import type { Random } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import { objectKey } from '@turnsole/kube/kinds/core';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { Controller, fromMapped, fromObjects } from '@turnsole/kube/runtime/controller';
import { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import { Informer } from '@turnsole/kube/runtime/informer';
import { ownerKeys } from '@turnsole/kube/runtime/owner-references';
import { CHAOS_SCHEDULES, type ChaosEngine, type ChaosSchedule } from '../../../api/index.ts';
import type { Halts } from '../halt/halts.ts';
import { ScheduleReconciler } from './schedule-reconciler.ts';

/** Source of the Events, as upstream's scheduler signs them. */
const SCHEDULER_EVENT_SOURCE = 'chaos-scheduler';
/** Index of engines by the uids of their owners. */
export const BY_OWNER = 'owner';

/** How the schedules are reconciled. */
interface ScheduleControllerOptions extends Basics {
  /** Empty means all. */
  readonly namespace: string;
  /** The operator's local copy of engines, with the index {@link BY_OWNER}. */
  readonly engines: Informer<ChaosEngine>;
  /** While the safety lever is pulled, no engine is made. */
  readonly halts: Halts;
  readonly random?: Random;
}

/** Makes engines of ChaosSchedules. Works as soon as the kind can be listed; engines do not wait for that. */
export class ScheduleController {
  readonly #informer: Informer<ChaosSchedule>;
  readonly #controller: Controller;
  readonly #recorder: EventRecorder;
  readonly #forget: () => void;
  readonly #logger: Logger;

  constructor(options: ScheduleControllerOptions) {
    const { engines, halts } = options;
    this.#logger = options.logger;
    this.#informer = new Informer<ChaosSchedule>({ ...options, resource: CHAOS_SCHEDULES });
    this.#recorder = new EventRecorder({ ...options, component: SCHEDULER_EVENT_SOURCE });
    const reconciler = new ScheduleReconciler({
      ...options,
      schedules: this.#informer.lister,
      isHalted: (home) => halts.why(home) !== undefined,
      enginesOf: (uid) => engines.lister.byIndex(BY_OWNER, uid),
      emit: (schedule, event) => this.#recorder.recordOn(CHAOS_SCHEDULES, schedule, event),
    });
    this.#forget = this.#informer.addHandler({
      onDelete: ({ metadata }) => reconciler.forget(metadata.uid ?? ''),
    });
    this.#controller = new Controller({
      ...options,
      name: 'chaosschedule',
      reconcile: reconciler.reconcile,
      sources: [
        fromObjects(this.#informer),
        fromMapped(engines, (engine) => ownerKeys(engine, CHAOS_SCHEDULES, true)),
        halts.source(() => this.#informer.lister.list().map(objectKey)),
      ],
    });
  }

  /** Begins in the background: a cluster without the kind, or a role that may not list it, delays nothing. */
  start(): void {
    this.#informer.start();
    this.#controller.start().catch((err: unknown) => {
      this.#logger.info({ err }, 'schedules are not reconciled');
    });
  }

  /** Lets the passes under way end. Idempotent. */
  async stop(): Promise<void> {
    await this.#controller.stop();
    this.#forget();
    await this.#informer.stop();
  }

  /** Resolves when the Events that wait are written or given up. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }
}
