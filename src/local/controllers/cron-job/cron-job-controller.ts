import type { Job } from '../../../api/core.ts';
import { CRON_JOBS, JOBS } from '../../../api/resources.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { type Controller, fromObjects, fromOwned } from '../../../kube/runtime/index.ts';
import { type ControllerContext, explain, isNamespaceGoing } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { BY_CONTROLLER } from '../shared/informers.ts';
import type { CronJob } from '../shared/types.ts';
import { type CronJobPlan, decideCronJob } from './decide-cron-job.ts';

/** Makes jobs by the clock. */
export function cronJobController(context: ControllerContext): Controller {
  const { informers, writer, clock } = context;
  const cronJobs = informers.view<CronJob>(CRON_JOBS);
  const jobs = informers.view<Job>(JOBS);
  const events = context.eventsOf('cronjob-controller');

  async function create(cronJob: CronJob, job: Job, signal: AbortSignal): Promise<void> {
    try {
      await writer.create<Job>(JOBS, job, signal);
    } catch (error) {
      if (isAlreadyExists(error) || isNamespaceGoing(error)) return;
      const message = `Error creating job: ${explain(error)}`;
      events.record(CRON_JOBS, cronJob, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
    const message = `Created job ${job.metadata.name}`;
    events.record(CRON_JOBS, cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message });
  }

  async function apply(cronJob: CronJob, plan: CronJobPlan, signal: AbortSignal): Promise<void> {
    for (const job of plan.delete) {
      await writer.delete<Job>(JOBS, job, signal, { propagationPolicy: 'Background' });
      const message = `Deleted job ${job.metadata.name}`;
      events.record(CRON_JOBS, cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message });
    }
    if (plan.create !== undefined) await create(cronJob, plan.create, signal);
    if (plan.status !== undefined) {
      await writer.updateStatus<CronJob>(CRON_JOBS, { ...cronJob, status: plan.status }, signal);
    }
    for (const note of plan.events) events.record(CRON_JOBS, cronJob, note);
  }

  return createController(context, {
    name: 'cronjob',
    sources: [fromObjects(cronJobs.informer), fromOwned(jobs.informer, CRON_JOBS)],
    reconcile: async ({ key }, signal) => {
      const cronJob = cronJobs.get(key);
      if (cronJob === undefined) return undefined;
      const own = jobs.byIndex(BY_CONTROLLER, cronJob.metadata.uid ?? '');
      const plan = decideCronJob({ cronJob, jobs: own, nowMs: clock.now() });
      await apply(cronJob, plan, signal);
      return { requeueAfterMs: plan.requeueAfterMs };
    },
  });
}
