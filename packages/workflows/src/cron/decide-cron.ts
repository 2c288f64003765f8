import type { ObjectReference } from '@turnsole/kube/kinds/core';
import { metaTime, parseTime } from '@turnsole/kube/text/time';
import type { ExpressionOptions } from '../expression/evaluate.ts';
import { isCompleted, isOverPhase } from '../kinds/completed.ts';
import type {
  ConcurrencyPolicy,
  CronWorkflow,
  CronWorkflowSpec,
  CronWorkflowStatus,
} from '../kinds/cron-workflow.ts';
import type { Condition } from '../kinds/status.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { childWorkflow, scheduledTimeOf } from './child-workflow.ts';
import { type CronSchedule, lastRun, nextRun } from './cron-schedule.ts';
import { type Counts, CronConditionError, mayStart, shouldStop } from './cron-variables.ts';
import { readSchedules } from './validate-cron.ts';

/** The schedules by which the controller last ran, so that a changed schedule makes up for nothing. */
export const ANNOTATION_LAST_SCHEDULE = 'cronworkflows.argoproj.io/last-used-schedule';
const LABEL_CRON_COMPLETED = 'cronworkflows.argoproj.io/completed';

/** Actions beside the status. Each may be done twice: the second time it changes nothing. */
export type CronAction =
  | { readonly kind: 'submit'; readonly workflow: Workflow }
  /** Set `spec.shutdown: Terminate`. */
  | { readonly kind: 'terminate'; readonly name: string }
  | { readonly kind: 'delete'; readonly name: string };

/** From when on times of each schedule (by its text) count. The controller keeps it between two decisions of the same process. */
export type CronClock = ReadonlyMap<string, number>;

interface CronFacts {
  readonly cron: CronWorkflow;
  /** The present workflows with the label of this CronWorkflow. */
  readonly children: readonly Workflow[];
  /** Undefined the first time: after a start of the controller, and for a new object. */
  readonly clock: CronClock | undefined;
  /** A problem of the spec beside its schedules: a time that is due then starts nothing. @default none */
  readonly specProblem?: string | undefined;
  readonly options: ExpressionOptions;
}

export interface CronDecision {
  readonly actions: readonly CronAction[];
  readonly status: CronWorkflowStatus;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Undefined while it is suspended or stopped: what passes in that time counts as missed. */
  readonly clock: CronClock | undefined;
  /** When to decide again even if nothing happens; undefined when no schedule will come. */
  readonly wakeAt: number | undefined;
  /** The time that is due now, whether it starts a workflow or not. */
  readonly due: number | undefined;
  /** The policy that kept a workflow from starting, or ended others for it. */
  readonly policy?: ConcurrencyPolicy;
  /** The spec cannot be run: nothing is changed, and this is logged. */
  readonly problem?: string;
}

/** Conditions about the last time that was due. */
const ERRORS = new Set(['SubmissionError', 'SpecError']);

/**
 * Decides for a CronWorkflow: workflows that are due, the end of those that are replaced or beyond the history, and its status, which is
 * made anew from the present workflows, since clients erase it. Pure.
 *
 * Source: recordings of the real controller in test/workflow.
 */
export function decideCron(facts: CronFacts, now: number): CronDecision {
  const { cron, children } = facts;
  const { spec } = cron;
  const schedules = readSchedules(spec);
  if (typeof schedules === 'string') return { ...untouched(facts), problem: schedules };
  const clock = new Map(
    [...schedules].map(([text, schedule]) => [text, sinceOf(facts, schedules.size, text, schedule, now)]),
  );
  const settled = settle(cron, children);
  const due = dueTime(facts, schedules, clock, now);
  for (const [text, schedule] of schedules) {
    const last = lastRun(schedule, clock.get(text) ?? now, now);
    if (last !== undefined) clock.set(text, last);
  }
  if (due !== undefined && facts.specProblem !== undefined && cron.status === undefined) {
    // A CronWorkflow that could never run keeps no status, as with Argo: an Event has reported it.
    return {
      ...untouched({ ...facts, clock }),
      wakeAt: earliest(schedules, clock),
      problem: facts.specProblem,
    };
  }
  const start = decideStart(facts, settled, due);
  const isIdle = spec.suspend === true || start.isStopped;
  return {
    actions: [...start.actions, ...beyondHistory(cron, children).map(deletion)],
    status: statusOf(facts, settled, start, due),
    labels: start.isStopped ? { [LABEL_CRON_COMPLETED]: 'true' } : NONE,
    annotations: due === undefined ? NONE : { [ANNOTATION_LAST_SCHEDULE]: schedulesText(spec) },
    clock: isIdle ? undefined : clock,
    wakeAt: isIdle ? undefined : earliest(schedules, clock),
    due,
    ...(start.policy !== undefined && { policy: start.policy }),
  };
}

const NONE: Readonly<Record<string, string>> = {};

function untouched({ cron, clock }: CronFacts): CronDecision {
  const nothing = { actions: [], labels: NONE, annotations: NONE, wakeAt: undefined, due: undefined };
  return { ...nothing, status: cron.status ?? {}, clock };
}

/** The status, corrected by the present workflows. */
interface Settled {
  readonly active: readonly ObjectReference[];
  readonly counts: Counts;
  readonly isStopped: boolean;
}

function settle(cron: CronWorkflow, children: readonly Workflow[]): Settled {
  const { active: before = [], succeeded = 0, failed = 0, phase, lastScheduledTime } = cron.status ?? {};
  const wasActive = new Set(before.map(({ uid }) => uid));
  // One that was created and ended before the status could record it.
  const isNews = (child: Workflow) => (scheduledTimeOf(child) ?? 0) > Date.parse(lastScheduledTime ?? '');
  const ended = children.filter(
    (child) => hasFinished(child) && (wasActive.has(child.metadata.uid) || isNews(child)),
  );
  const well = ended.filter(({ status }) => status?.phase === 'Succeeded').length;
  // The reference of before: one made anew would change the status with every change of the workflow.
  const known = new Map(before.map((reference) => [reference.uid, reference]));
  const running = children.filter((child) => !hasFinished(child)).toSorted(byName);
  return {
    active: running.map((child) => known.get(child.metadata.uid) ?? referenceTo(child)),
    counts: { succeeded: succeeded + well, failed: failed + ended.length - well },
    isStopped: phase === 'Stopped',
  };
}

function byName(a: Workflow, b: Workflow): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function hasFinished(workflow: Workflow): boolean {
  return isCompleted(workflow) || isOverPhase(workflow.status?.phase);
}

function referenceTo({ apiVersion, kind, metadata }: Workflow): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}

/**
 * From when on times of a schedule count. What repeats every so often goes on from its last time, also where another process, or this one
 * before a restart, saw to that: else two processes would have times of their own.
 */
function sinceOf(
  { cron, children, clock }: CronFacts,
  schedules: number,
  text: string,
  schedule: CronSchedule,
  now: number,
): number {
  const known = clock?.get(text);
  const last = lastScheduledTime(cron, children);
  if (schedule.kind === 'clock' || schedules > 1 || last === undefined || last > now) return known ?? now;
  return Math.max(last, known ?? (last + schedule.everyMs > now ? last : now));
}

/**
 * The latest time that is due and has no workflow yet: another process, or this one before it was killed, may have made it without
 * recording it in the status. While the controller runs, that is any time of a schedule since it looked last. After it was away, only
 * one that is not older than `startingDeadlineSeconds`, and only where the schedules are still those it ran by.
 */
function dueTime(
  facts: CronFacts,
  schedules: ReadonlyMap<string, CronSchedule>,
  since: CronClock,
  now: number,
): number | undefined {
  const { cron, children } = facts;
  if (cron.spec.suspend === true || cron.status?.phase === 'Stopped') return undefined;
  const lastScheduled = lastScheduledTime(cron, children);
  const due =
    facts.clock === undefined
      ? missedTime(facts, schedules, lastScheduled, now)
      : latest(schedules, (text) => since.get(text) ?? now, now);
  // A status that names a time to come is not to be believed.
  const hasRun =
    due !== undefined && lastScheduled !== undefined && lastScheduled >= due && lastScheduled <= now;
  return hasRun ? undefined : due;
}

function missedTime(
  { cron }: CronFacts,
  schedules: ReadonlyMap<string, CronSchedule>,
  lastScheduled: number | undefined,
  now: number,
): number | undefined {
  const { startingDeadlineSeconds = 0 } = cron.spec;
  if (lastScheduled === undefined || startingDeadlineSeconds <= 0) return undefined;
  if (cron.metadata.annotations?.[ANNOTATION_LAST_SCHEDULE] !== schedulesText(cron.spec)) return undefined;
  const missed = latest(schedules, () => lastScheduled, now);
  return missed !== undefined && now < missed + startingDeadlineSeconds * 1000 ? missed : undefined;
}

/** The schedules with their zone, as Argo notes them: another zone makes them other schedules. */
function schedulesText({ schedules, timezone = '' }: CronWorkflowSpec): string {
  return schedules.map((text) => (timezone === '' ? text : `CRON_TZ=${timezone} ${text}`)).join(',');
}

function latest(
  schedules: ReadonlyMap<string, CronSchedule>,
  sinceOf: (text: string) => number,
  now: number,
): number | undefined {
  const times = [...schedules].map(([text, schedule]) => lastRun(schedule, sinceOf(text), now));
  return times.reduce((last, time) => (time === undefined || (last ?? 0) > time ? last : time), undefined);
}

function earliest(schedules: ReadonlyMap<string, CronSchedule>, clock: CronClock): number | undefined {
  const times = [...schedules].map(([text, schedule]) => nextRun(schedule, clock.get(text) ?? 0));
  return times.reduce(
    (first, time) => (time === undefined || (first ?? time) < time ? first : time),
    undefined,
  );
}

/** If a client has erased the status, the present workflows give the time. */
function lastScheduledTime({ status }: CronWorkflow, children: readonly Workflow[]): number | undefined {
  const times = [parseTime(status?.lastScheduledTime), ...children.map(scheduledTimeOf)];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** What a due time leads to. */
interface Start {
  readonly actions: readonly CronAction[];
  readonly isStopped: boolean;
  readonly scheduled: number | undefined;
  /** Why it was not started although it was due. */
  readonly error?: Condition;
  readonly policy?: ConcurrencyPolicy;
}

function decideStart(
  { cron, specProblem, options }: CronFacts,
  { active, counts, isStopped }: Settled,
  due: number | undefined,
): Start {
  const nothing: Start = { actions: [], isStopped, scheduled: undefined };
  if (due !== undefined && specProblem !== undefined)
    return { ...nothing, error: { type: 'SpecError', status: 'True', message: specProblem } };
  try {
    if (isStopped || shouldStop(cron, counts, options)) return { ...nothing, isStopped: true };
    if (due === undefined || cron.spec.suspend === true) return nothing;
    if (!mayStart(cron, counts, options)) return nothing;
  } catch (error) {
    if (!(error instanceof CronConditionError)) throw error;
    const message = `run policy error: ${error.message}`;
    return { ...nothing, error: { type: 'SubmissionError', status: 'True', message } };
  }
  const { concurrencyPolicy } = cron.spec;
  const policy = active.length > 0 ? concurrencyPolicy : undefined;
  if (policy === 'Forbid') return { ...nothing, policy };
  const replaced =
    concurrencyPolicy === 'Replace'
      ? active.map(({ name = '' }): CronAction => ({ kind: 'terminate', name }))
      : [];
  const workflow = childWorkflow(cron, due);
  const actions: CronAction[] = [...replaced, { kind: 'submit', workflow }];
  return { actions, isStopped: false, scheduled: due, ...(policy === 'Replace' && { policy }) };
}

function deletion({ metadata: { name = '' } }: Workflow): CronAction {
  return { kind: 'delete', name };
}

/** The status after a workflow was created for a time that was due: it is active from now on. Pure. */
export function withSubmitted(status: CronWorkflowStatus, created: Workflow): CronWorkflowStatus {
  const others = (status.active ?? []).filter(({ uid }) => uid !== created.metadata.uid);
  return { ...status, active: [...others, referenceTo(created)] };
}

/** The status after a workflow could not be created: it counts as one that failed. Pure. */
export function withSubmissionError(status: CronWorkflowStatus, reason: string): CronWorkflowStatus {
  const error: Condition = {
    type: 'SubmissionError',
    status: 'True',
    message: `Failed to submit Workflow: ${reason}`,
  };
  return { ...status, failed: (status.failed ?? 0) + 1, conditions: [...(status.conditions ?? []), error] };
}

function statusOf(
  { cron, children }: CronFacts,
  { active, counts }: Settled,
  start: Start,
  due: number | undefined,
): CronWorkflowStatus {
  const { status = {} } = cron;
  if (start.isStopped) return { ...status, ...counts, active, phase: 'Stopped' };
  const wasTouched = cron.status !== undefined || due !== undefined || active.length > 0;
  if (!wasTouched) return status;
  const kept = (status.conditions ?? []).filter(({ type }) => !ERRORS.has(type));
  const lastMs = lastScheduledTime(cron, children);
  const latestKnown = lastMs === undefined ? undefined : metaTime(lastMs);
  const tried = start.error !== undefined || start.scheduled !== undefined;
  const hasRun = start.scheduled !== undefined || lastMs !== undefined;
  return {
    ...status,
    ...counts,
    active,
    phase: hasRun ? 'Active' : (status.phase ?? ''),
    lastScheduledTime: start.scheduled === undefined ? latestKnown : metaTime(start.scheduled),
    conditions: tried ? [...kept, ...(start.error === undefined ? [] : [start.error])] : status.conditions,
  };
}

const DEFAULT_SUCCESSFUL = 3;
const DEFAULT_FAILED = 1;

/** The workflows that have ended and are more than the history keeps, oldest first. Those that failed or erred count together. Pure. */
function beyondHistory({ spec }: CronWorkflow, children: readonly Workflow[]): Workflow[] {
  const { successfulJobsHistoryLimit = DEFAULT_SUCCESSFUL, failedJobsHistoryLimit = DEFAULT_FAILED } = spec;
  const of = (...phases: readonly string[]) =>
    children.filter(({ status }) => phases.includes(status?.phase ?? '')).toSorted(byEnd);
  return [
    ...allButLast(of('Succeeded'), successfulJobsHistoryLimit),
    ...allButLast(of('Failed', 'Error'), failedJobsHistoryLimit),
  ];
}

function allButLast(workflows: readonly Workflow[], count: number): readonly Workflow[] {
  return workflows.slice(0, Math.max(0, workflows.length - count));
}

function byEnd(a: Workflow, b: Workflow): number {
  const [endA = '', endB = ''] = [a.status?.finishedAt, b.status?.finishedAt];
  return endA < endB ? -1 : endA > endB ? 1 : 0;
}
