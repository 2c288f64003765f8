import type { ObjectReference } from '@turnsole/kube/kinds/core';
import { equivalentJson } from '@turnsole/kube/text/json';
import { metaTime } from '@turnsole/kube/text/time';
import { runIsOver } from '../../../api/engine-status.ts';
import type { ChaosEngine, ChaosSchedule } from '../../../api/index.ts';
import type { SCHEDULE_REASONS } from '../../../chaos/errors/engine-reasons.ts';
import { drawsOf } from '../../../chaos/schedule/draw-time.ts';
import { type SchedulePattern, schedulePatternOf } from '../../../chaos/schedule/schedule-pattern.ts';

type ScheduleStatus = NonNullable<ChaosSchedule['status']>;
type Change = { -readonly [K in keyof ScheduleStatus]?: ScheduleStatus[K] };

/** An Event on the schedule. */
export type ScheduleEvent = { readonly message: string } & (
  | { readonly type: 'Normal'; readonly reason: string }
  | { readonly type: 'Warning'; readonly reason: keyof typeof SCHEDULE_REASONS }
);

/** The actions for one schedule, in this order: stop, create, remove, status, events. */
export interface ScheduleDecision {
  /** Engines that are to be stopped, by name. */
  readonly stop: readonly string[];
  /** An engine to create; that it exists already is no failure, its name is the lock. */
  readonly create?: string;
  /** Ended engines beyond the history limit, oldest first. */
  readonly remove: readonly string[];
  /** The status as it shall be; absent when it is so already. */
  readonly status?: ScheduleStatus;
  /** `spec.scheduleState` as it shall be, when it differs. */
  readonly state?: 'complete';
  readonly events: readonly ScheduleEvent[];
  /** Come back at this time even if nothing happens. */
  readonly wakeAtMs?: number;
}

/** Input of the decision. */
interface ObservedSchedule {
  readonly schedule: ChaosSchedule;
  /** The engines that this schedule owns. */
  readonly engines: readonly ChaosEngine[];
  readonly nowMs: number;
}

const NOTHING: ScheduleDecision = { stop: [], remove: [], events: [] };

/**
 * Decides what to do for one schedule; pure, complete, level-triggered.
 *
 * | scheduleState | |
 * | --- | --- |
 * | active (or empty) | creates the engine of the last time that is due and was not run; `now` and `once` complete when it has ended |
 * | halt | creates nothing; engines that run go on; active again resumes |
 * | stop | stops the engines that run |
 * | complete | creates nothing; completed when no engine runs any more |
 *
 * Of the times that passed without an operator, or halted, only the last is made up for, as a CronJob does. Times
 * that pass while an engine of the schedule runs are left out under Forbid, upstream's default.
 */
export function decideSchedule(observed: ObservedSchedule): ScheduleDecision {
  const { schedule, nowMs } = observed;
  if (schedule.metadata.deletionTimestamp !== undefined) return NOTHING;
  const seen = observeEngines(observed);
  switch (schedule.spec.scheduleState) {
    case 'halt':
      return finish(observed, seen, {
        word: 'halted',
        events: [halted('ScheduleHalted', 'Schedule halted')],
      });
    case 'stop':
      return finish(observed, seen, {
        word: 'stopped',
        stop: seen.running.filter((engine) => engine.spec.engineState !== 'stop').map(nameOf),
        endMs: nowMs,
        events: [halted('ScheduleStopped', 'Schedule stopped; its engines are being stopped')],
      });
    case 'complete':
      if (seen.running.length > 0) return finish(observed, seen, { events: [] });
      return finish(observed, seen, complete(nowMs));
    default:
      return decideActive(observed, seen);
  }
}

interface SeenEngines {
  readonly running: readonly ChaosEngine[];
  readonly ended: readonly ChaosEngine[];
  /** When an engine of the last look had ended since, or was gone. */
  readonly completionMs: number | undefined;
  readonly events: readonly ScheduleEvent[];
}

interface Outcome {
  readonly word?: 'running' | 'halted' | 'stopped' | 'completed';
  readonly create?: { readonly name: string; readonly atMs: number };
  readonly stop?: readonly string[];
  readonly startMs?: number;
  readonly endMs?: number;
  readonly nextMs?: number;
  readonly state?: 'complete';
  /** Recorded when the word changes. */
  readonly events: readonly ScheduleEvent[];
  /** Recorded each time it is decided. */
  readonly warning?: ScheduleEvent;
}

function observeEngines({ schedule, engines, nowMs }: ObservedSchedule): SeenEngines {
  const running = engines.filter((engine) => !hasEnded(engine));
  const ended = engines.filter(hasEnded);
  const left = (schedule.status?.active ?? []).filter(
    ({ uid }) => !running.some(({ metadata }) => metadata.uid === uid),
  );
  const known = schedule.status?.lastScheduleCompletionTime;
  const completions = left.map(({ uid }) =>
    endOf(
      ended.find(({ metadata }) => metadata.uid === uid),
      nowMs,
    ),
  );
  return {
    running,
    ended,
    completionMs: completions.length > 0 ? Math.max(...completions) : known ? Date.parse(known) : undefined,
    events: left.map(({ name, uid }) => {
      const engine = ended.find(({ metadata }) => metadata.uid === uid);
      return engine === undefined
        ? { type: 'Normal', reason: 'MissingEngine', message: `Active engine went missing: ${name}` }
        : {
            type: 'Normal',
            reason: 'SawCompletedEngine',
            message: `Saw completed engine: ${name}, status: ${engine.status?.engineStatus ?? 'stopped'}`,
          };
    }),
  };
}

/** When an engine ended, as its timeline has it: an operator that was away sees it late. */
function endOf(engine: ChaosEngine | undefined, nowMs: number): number {
  const time = Date.parse(engine?.status?.timeline?.at(-1)?.time ?? '');
  return Number.isNaN(time) ? nowMs : time;
}

/** Completed or stopped; also refused by the operator, which leaves an engine stopped without a status. */
function hasEnded({ spec, status }: ChaosEngine): boolean {
  const word = status?.engineStatus ?? '';
  return runIsOver(word) || (word === '' && spec.engineState === 'stop');
}

function decideActive(observed: ObservedSchedule, seen: SeenEngines): ScheduleDecision {
  const { schedule, nowMs } = observed;
  const { now, once, repeat } = schedule.spec.schedule ?? {};
  if (repeat !== undefined) return decideRepeat(observed, seen, repeat);
  const isDone = schedule.status?.lastScheduleTime != null;
  if (isDone) {
    if (seen.running.length > 0) return finish(observed, seen, { word: 'running', events: [] });
    return finish(observed, seen, complete(nowMs));
  }
  const atMs = now === true ? nowMs : Date.parse(once?.executionTime ?? '');
  if (atMs > nowMs) return finish(observed, seen, { word: 'running', nextMs: atMs, events: [] });
  const { name } = schedule.metadata;
  return finish(observed, seen, {
    word: 'running',
    create: { name, atMs: nowMs },
    startMs: nowMs,
    events: [],
  });
}

type Repeat = NonNullable<NonNullable<ChaosSchedule['spec']['schedule']>['repeat']>;

function decideRepeat(observed: ObservedSchedule, seen: SeenEngines, repeat: Repeat): ScheduleDecision {
  const { schedule, nowMs } = observed;
  const { creationTimestamp = '', name, uid = '' } = schedule.metadata;
  const createdMs = Date.parse(creationTimestamp) || nowMs;
  const rangeStart = repeat.timeRange?.startTime;
  // Whole seconds, as they are in the status: otherwise a time would be due again after it was run.
  const startMs = Math.floor(Math.max(rangeStart ? Date.parse(rangeStart) : 0, createdMs) / 1000) * 1000;
  const endMs = repeat.timeRange?.endTime ? Date.parse(repeat.timeRange.endTime) : undefined;
  const lastRun = schedule.status?.lastScheduleTime;
  const lastRunMs = lastRun ? Date.parse(lastRun) : undefined;
  const pattern = schedulePatternOf(repeat, { startMs, endMs, lastRunMs, draw: drawsOf(uid) });
  const due = dueTime(pattern, {
    lastRunMs,
    nowMs,
    completionMs: seen.completionMs,
    policy: schedule.spec.concurrencyPolicy,
  });
  const next = pattern.next(nowMs);
  const common = { word: 'running', startMs, nextMs: next } as const;
  if (due === undefined) {
    const isOver = endMs !== undefined && nowMs >= endMs;
    if (isOver && seen.running.length === 0) return finish(observed, seen, complete(nowMs));
    // Its end brings an event of its own when no further run comes before.
    const wakeMs = next ?? (isOver ? undefined : endMs);
    return finish(observed, seen, { ...common, nextMs: wakeMs, events: [] });
  }
  const engine = `${name}-${Math.floor(due / 1000)}`;
  if (seen.running.length > 0 && schedule.spec.concurrencyPolicy === 'Replace') {
    // Running engines are reverted before anything new is injected: their end brings the schedule back here.
    const stop = seen.running.filter(({ spec }) => spec.engineState !== 'stop').map(nameOf);
    return finish(observed, seen, { ...common, stop, events: [] });
  }
  if (seen.running.length > 0 && schedule.spec.concurrencyPolicy !== 'Allow') {
    const message = `Missed scheduled time to start an engine because of an active engine at: ${new Date(due).toISOString()}`;
    // Engines change often while they run: said once for each time that passes.
    const expected = schedule.status?.schedule?.expectedNextRunTime;
    const isNews = expected != null && Date.parse(expected) <= nowMs;
    return finish(observed, seen, {
      ...common,
      events: [],
      ...(isNews ? { warning: { type: 'Warning', reason: 'MissEngine', message } } : {}),
    });
  }
  return finish(observed, seen, { ...common, create: { name: engine, atMs: due }, events: [] });
}

/** The last time that has come and was not run. What came while an engine ran is made up for only under Replace and Allow. */
function dueTime(
  pattern: SchedulePattern,
  {
    lastRunMs,
    nowMs,
    completionMs,
    policy,
  }: {
    readonly lastRunMs: number | undefined;
    readonly nowMs: number;
    readonly completionMs: number | undefined;
    readonly policy: string | undefined;
  },
): number | undefined {
  const due = pattern.last(lastRunMs ?? Number.NEGATIVE_INFINITY, nowMs);
  if (due === undefined) return undefined;
  const isForbid = policy !== 'Allow' && policy !== 'Replace';
  return isForbid && completionMs !== undefined && due <= completionMs && lastRunMs !== undefined
    ? undefined
    : due;
}

function complete(nowMs: number): Outcome {
  return {
    word: 'completed',
    state: 'complete',
    endMs: nowMs,
    events: [{ type: 'Normal', reason: 'ScheduleCompleted', message: 'Schedule completed successfully' }],
  };
}

function halted(reason: string, message: string): ScheduleEvent {
  return { type: 'Normal', reason, message };
}

/** Puts status, clean-up and events around what was decided. */
function finish(
  { schedule, nowMs }: ObservedSchedule,
  seen: SeenEngines,
  outcome: Outcome,
): ScheduleDecision {
  const { create, word } = outcome;
  const before: ScheduleStatus = schedule.status ?? {};
  const isNews = word !== undefined && before.schedule?.status !== word;
  const active: ObjectReference[] = seen.running.map(referenceOf);
  const status: Change = {
    ...before,
    schedule: { ...before.schedule, ...(word === undefined ? {} : { status: word }) },
  };
  const inner = status.schedule ?? {};
  if (outcome.startMs !== undefined && inner.startTime == null) inner.startTime = metaTime(outcome.startMs);
  if (outcome.endMs !== undefined && isNews) inner.endTime = metaTime(outcome.endMs);
  if (word === 'running') delete inner.endTime;
  const next = outcome.nextMs !== undefined && word === 'running' ? metaTime(outcome.nextMs) : undefined;
  if (next === undefined) delete inner.expectedNextRunTime;
  else inner.expectedNextRunTime = next;
  if (create !== undefined) {
    status.lastScheduleTime = metaTime(create.atMs);
    inner.runInstances = (before.schedule?.runInstances ?? 0) + 1;
  }
  if (seen.completionMs !== undefined) status.lastScheduleCompletionTime = metaTime(seen.completionMs);
  status.active = active;
  const isSame = equivalentJson(normal(before), normal(status));
  const warning = outcome.warning === undefined ? [] : [outcome.warning];
  const events = [...seen.events, ...(isNews ? outcome.events : []), ...warning];
  return {
    stop: outcome.stop ?? [],
    remove: surplus(schedule, seen.ended),
    events,
    ...(create === undefined ? {} : { create: create.name }),
    ...(isSame ? {} : { status }),
    ...(outcome.state === undefined || schedule.spec.scheduleState === outcome.state
      ? {}
      : { state: outcome.state }),
    ...(outcome.nextMs === undefined || outcome.nextMs <= nowMs ? {} : { wakeAtMs: outcome.nextMs }),
  };
}

function surplus({ spec }: ChaosSchedule, ended: readonly ChaosEngine[]): string[] {
  if (spec.historyLimit === undefined) return [];
  const present = ended.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return present
    .map(({ metadata: { name, creationTimestamp = '' } }) => ({ name, creationTimestamp }))
    .sort((a, b) => a.creationTimestamp.localeCompare(b.creationTimestamp) || a.name.localeCompare(b.name))
    .slice(0, Math.max(0, present.length - spec.historyLimit))
    .map(({ name }) => name);
}

function referenceOf({ apiVersion, kind, metadata }: ChaosEngine): ObjectReference {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion: apiVersion ?? 'litmuschaos.io/v1alpha1',
    kind: kind ?? 'ChaosEngine',
    name,
    namespace,
    uid,
  };
}

const nameOf = ({ metadata }: ChaosEngine): string => metadata.name;

/** Without what says the same as nothing, and with references by uid, so that order and versions do not count. */
function normal({ active, schedule, ...rest }: ScheduleStatus): unknown {
  return { ...rest, schedule: schedule ?? {}, active: (active ?? []).map(({ uid }) => uid ?? '').sort() };
}
