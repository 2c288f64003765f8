import type { EventNote } from '@turnsole/kube/controllers/plan';
import type { Job } from '@turnsole/kube/kinds/core';
import { CRON_JOBS } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import {
  lastTime,
  nextTime,
  parseSchedule,
  type Schedule,
  ScheduleError,
} from '@turnsole/kube/text/cron/schedule';
import { isTimeZone } from '@turnsole/kube/text/cron/time-zone';
import { equivalentJson } from '@turnsole/kube/text/json';
import { metaTime, parseTime } from '@turnsole/kube/text/time';
import { terminalCondition } from '../job/job-conditions.ts';
import type { CronJob, CronJobStatus } from '../shared/types.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const DEFAULT_SUCCESSFUL_LIMIT = 3;
const DEFAULT_FAILED_LIMIT = 1;
const MINUTE_MS = 60_000;

/** Everything one pass for a cron job looks at. */
interface ObservedCronJob {
  readonly cronJob: CronJob;
  /** Jobs it owns. */
  readonly jobs: readonly Job[];
  readonly nowMs: number;
}

/** The plan of one pass. */
export interface CronJobPlan {
  readonly create: Job | undefined;
  readonly delete: readonly Job[];
  /** `undefined` when it is as it should be. */
  readonly status: CronJobStatus | undefined;
  readonly events: readonly EventNote[];
  readonly requeueAfterMs: number | undefined;
}

/** Decides for a cron job: the job that is due, finished jobs beyond its limits, its status. */
export function decideCronJob(observed: ObservedCronJob): CronJobPlan {
  const { cronJob, jobs } = observed;
  const bookkeeping = keepBooks(cronJob, jobs);
  const isOff = cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec?.suspend === true;
  const plan = isOff ? NOTHING_DUE : decideStart(observed);
  const doomed = isOff ? [] : beyondLimits(cronJob, jobs);
  const status = { ...bookkeeping.status };
  if (plan.scheduledMs !== undefined) status.lastScheduleTime = metaTime(plan.scheduledMs);
  return {
    create: plan.create,
    delete: [...plan.delete, ...doomed],
    status: equivalentJson(status, cronJob.status ?? {}) ? undefined : status,
    events: [...bookkeeping.events, ...plan.events],
    requeueAfterMs: plan.requeueAfterMs,
  };
}

interface Start {
  readonly create: Job | undefined;
  readonly delete: readonly Job[];
  readonly events: readonly EventNote[];
  readonly scheduledMs: number | undefined;
  readonly requeueAfterMs: number | undefined;
}

const NOTHING_DUE: Start = {
  create: undefined,
  delete: [],
  events: [],
  scheduledMs: undefined,
  requeueAfterMs: undefined,
};

function decideStart({ cronJob, jobs, nowMs }: ObservedCronJob): Start {
  const { timeZone, startingDeadlineSeconds, concurrencyPolicy = 'Allow' } = cronJob.spec ?? {};
  const schedule = readSchedule(cronJob);
  if ('event' in schedule) return { ...NOTHING_DUE, events: [schedule.event] };
  const next = nextTime(schedule, nowMs, timeZone);
  const idle: Start = { ...NOTHING_DUE, requeueAfterMs: next === undefined ? undefined : next - nowMs };
  const since = parseTime(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp) ?? nowMs;
  const due = lastTime(schedule, since, nowMs, timeZone);
  if (due === undefined) return idle;
  const name = `${cronJob.metadata.name}-${Math.floor(due / MINUTE_MS)}`;
  if (jobs.some(({ metadata }) => metadata.name === name)) return { ...idle, scheduledMs: due };
  if (startingDeadlineSeconds !== undefined && due + startingDeadlineSeconds * 1000 < nowMs) {
    const message = `Missed scheduled time to start a job: ${new Date(due).toUTCString().replace('GMT', '+0000')}`;
    return { ...idle, events: [{ type: 'Warning', reason: 'MissSchedule', message }] };
  }
  const active = jobs.filter((job) => terminalCondition(job) === undefined);
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    return { ...idle, events: [{ type: 'Normal', reason: 'JobAlreadyActive', message }] };
  }
  return {
    ...idle,
    create: newJob(cronJob, name, due),
    delete: concurrencyPolicy === 'Replace' ? active : [],
    scheduledMs: due,
  };
}

function readSchedule({ spec }: CronJob): Schedule | { readonly event: EventNote } {
  const { schedule = '', timeZone } = spec ?? {};
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    return { event: { type: 'Warning', reason: 'UnknownTimeZone', message } };
  }
  try {
    return parseSchedule(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${error.message}`;
    return { event: { type: 'Warning', reason: 'UnparseableSchedule', message } };
  }
}

function newJob(cronJob: CronJob, name: string, scheduledMs: number): Job {
  const { metadata = {}, spec } = cronJob.spec?.jobTemplate ?? {};
  const { namespace } = cronJob.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace,
      labels: metadata.labels,
      annotations: { ...metadata.annotations, [SCHEDULED_AT]: metaTime(scheduledMs) },
      ownerReferences: [ownerReference(CRON_JOBS, cronJob)],
    },
    spec,
  };
}

/** Jobs that have ended leave the list of active ones; the last success is remembered. */
function keepBooks(cronJob: CronJob, jobs: readonly Job[]): { status: CronJobStatus; events: EventNote[] } {
  const listed = new Set((cronJob.status?.active ?? []).map(({ uid }) => uid));
  const events: EventNote[] = [];
  let lastSuccess = cronJob.status?.lastSuccessfulTime;
  const active = [];
  for (const job of jobs) {
    const { name, namespace, uid, resourceVersion } = job.metadata;
    const end = terminalCondition(job);
    if (end === undefined) {
      active.push({
        apiVersion: 'batch/v1',
        kind: 'Job',
        name,
        namespace,
        uid,
        // The version of its first state is kept, so that the list does not change with each status of the job.
        ...referenceVersion(cronJob, uid, resourceVersion),
      });
      continue;
    }
    if (listed.has(uid)) {
      const message = `Saw completed job: ${name}, condition: ${end.type}`;
      events.push({ type: 'Normal', reason: 'SawCompletedJob', message });
    }
    const { completionTime } = job.status ?? {};
    if (end.type === 'Complete' && completionTime !== undefined && completionTime > (lastSuccess ?? '')) {
      lastSuccess = completionTime;
    }
  }
  for (const { uid, name } of cronJob.status?.active ?? []) {
    if (jobs.some(({ metadata }) => metadata.uid === uid)) continue;
    events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` });
  }
  const { lastScheduleTime } = cronJob.status ?? {};
  return {
    events,
    status: { ...(active.length === 0 ? {} : { active }), lastScheduleTime, lastSuccessfulTime: lastSuccess },
  };
}

function referenceVersion(
  cronJob: CronJob,
  uid: string | undefined,
  resourceVersion: string | undefined,
): { readonly resourceVersion?: string } {
  const listed = cronJob.status?.active?.find((reference) => reference.uid === uid);
  const version = listed?.resourceVersion ?? resourceVersion;
  return version === undefined ? {} : { resourceVersion: version };
}

/** Finished jobs beyond the history limits, oldest first. */
function beyondLimits(cronJob: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec ?? {};
  const oldest = (type: string, limit: number) => {
    const ended = jobs
      .filter((job) => terminalCondition(job)?.type === type && job.metadata.deletionTimestamp === undefined)
      .sort((left, right) => startedMs(left) - startedMs(right));
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...oldest('Complete', successfulJobsHistoryLimit ?? DEFAULT_SUCCESSFUL_LIMIT),
    ...oldest('Failed', failedJobsHistoryLimit ?? DEFAULT_FAILED_LIMIT),
  ];
}

function startedMs({ status, metadata }: Job): number {
  return parseTime(status?.startTime ?? metadata.creationTimestamp) ?? 0;
}
