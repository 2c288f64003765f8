import { isAlreadyExists } from '@turnsole/kube/client/errors';
import { KindController, type StepOutcome } from '@turnsole/kube/controllers/controller';
import { explain, isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import { BY_CONTROLLER } from '@turnsole/kube/controllers/informers';
import type { Job } from '@turnsole/kube/kinds/core';
import { CRON_JOBS, JOBS } from '@turnsole/kube/kinds/resources';
import { fromObjects, fromOwned } from '@turnsole/kube/runtime/index';
import type { CronJob } from '../shared/types.ts';
import { type CronJobPlan, decideCronJob } from './decide-cron-job.ts';

/** Makes jobs by the clock. */
export class CronJobController extends KindController<CronJob> {
  readonly name = 'cronjob';
  readonly objects = this.context.informers.view<CronJob>(CRON_JOBS);
  readonly #jobs = this.context.informers.view<Job>(JOBS);
  readonly #events = this.context.eventsOf('cronjob-controller');
  readonly sources = [fromObjects(this.objects.informer), fromOwned(this.#jobs.informer, CRON_JOBS)];

  async step(cronJob: CronJob, signal: AbortSignal): Promise<StepOutcome> {
    const jobs = this.#jobs.byIndex(BY_CONTROLLER, cronJob.metadata.uid ?? '');
    const plan = decideCronJob({ cronJob, jobs, nowMs: this.context.clock.now() });
    await this.#apply(cronJob, plan, signal);
    return { changed: false, requeueAfterMs: plan.requeueAfterMs };
  }

  async #apply(cronJob: CronJob, plan: CronJobPlan, signal: AbortSignal): Promise<void> {
    const { writer } = this.context;
    for (const job of plan.delete) {
      await writer.delete<Job>(JOBS, job, signal, { propagationPolicy: 'Background' });
      const message = `Deleted job ${job.metadata.name}`;
      this.#events.record(CRON_JOBS, cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message });
    }
    if (plan.create !== undefined) await this.#create(cronJob, plan.create, signal);
    if (plan.status !== undefined) {
      await writer.updateStatus<CronJob>(CRON_JOBS, { ...cronJob, status: plan.status }, signal);
    }
    for (const note of plan.events) this.#events.record(CRON_JOBS, cronJob, note);
  }

  async #create(cronJob: CronJob, job: Job, signal: AbortSignal): Promise<void> {
    try {
      await this.context.writer.create<Job>(JOBS, job, signal);
    } catch (error) {
      if (isAlreadyExists(error) || isNamespaceGoing(error)) return;
      const message = `Error creating job: ${explain(error)}`;
      this.#events.record(CRON_JOBS, cronJob, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
    const message = `Created job ${job.metadata.name}`;
    this.#events.record(CRON_JOBS, cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message });
  }
}
