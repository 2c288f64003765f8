/** Table of decisions for schedules. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosSchedule } from '../../../api/index.ts';
import { decideSchedule, type ScheduleDecision } from './decide-schedule.ts';

type Spec = Partial<ChaosSchedule['spec']>;
type Status = NonNullable<ChaosSchedule['status']>;

const CREATED = '2030-01-01T09:00:00Z';
const every10: Spec = {
  schedule: { repeat: { properties: { minChaosInterval: { minute: { everyNthMinute: 10 } } } } },
};
const seconds = (time: string): number => Date.parse(time) / 1000;
const at = (clock: string): string => `2030-01-01T${clock}Z`;

function schedule(spec: Spec, status?: Status): ChaosSchedule {
  return {
    metadata: { name: 'nightly', namespace: 'shop', uid: 's1', creationTimestamp: CREATED },
    spec: { engineTemplateSpec: { experiments: [{ name: 'pod-delete' }] }, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

function engine(
  name: string,
  word: 'initialized' | 'completed' | 'stopped' | '',
  endedAt?: string,
): ChaosEngine {
  return {
    metadata: { name, namespace: 'shop', uid: `u-${name}`, creationTimestamp: CREATED },
    spec: {
      engineState: word === 'completed' || word === 'stopped' ? 'stop' : 'active',
      experiments: [{ name: 'pod-delete' }],
    },
    status: {
      engineStatus: word,
      ...(endedAt === undefined
        ? {}
        : { timeline: [{ time: endedAt, actor: 'operator', step: 'EngineCompleted', message: 'm' }] }),
    },
  };
}
const active = (...names: string[]): Status => ({
  active: names.map((name) => ({ name, uid: `u-${name}` })),
});

function decide(
  nowText: string,
  spec: Spec,
  status?: Status,
  engines: readonly ChaosEngine[] = [],
): ScheduleDecision {
  return decideSchedule({ schedule: schedule(spec, status), engines, nowMs: Date.parse(at(nowText)) });
}
const wakes = ({ wakeAtMs }: ScheduleDecision): string | undefined =>
  wakeAtMs === undefined ? undefined : new Date(wakeAtMs).toISOString().slice(11, 19);
const reasons = ({ events }: ScheduleDecision): string[] => events.map(({ reason }) => reason);

test('now: one engine of the schedule’s name, then completed when it has ended', () => {
  const first = decide('09:00:01', { schedule: { now: true } });
  assert.equal(first.create, 'nightly');
  assert.equal(first.status?.schedule?.status, 'running');
  assert.equal(first.status?.lastScheduleTime, at('09:00:01'));
  assert.equal(first.status?.schedule?.runInstances, 1);
  const running = decide('09:05:00', { schedule: { now: true } }, first.status, [
    engine('nightly', 'initialized'),
  ]);
  assert.equal(running.create, undefined);
  assert.deepEqual(
    running.status?.active?.map(({ name }) => name),
    ['nightly'],
  );
  const ended = decide('09:06:00', { schedule: { now: true } }, running.status, [
    engine('nightly', 'completed', at('09:05:30')),
  ]);
  assert.equal(ended.state, 'complete');
  assert.equal(ended.status?.schedule?.status, 'completed');
  assert.equal(ended.status?.lastScheduleCompletionTime, at('09:05:30'));
  assert.deepEqual(reasons(ended), ['SawCompletedEngine', 'ScheduleCompleted']);
});

test('now: an engine that a user deleted is not made again', () => {
  const status = { ...active('nightly'), lastScheduleTime: at('09:00:01') };
  const decision = decide('09:06:00', { schedule: { now: true } }, status);
  assert.equal(decision.create, undefined);
  assert.equal(decision.state, 'complete');
  assert.deepEqual(reasons(decision), ['MissingEngine', 'ScheduleCompleted']);
});

test('once: waits for its time, and runs late rather than never', () => {
  const spec: Spec = { schedule: { once: { executionTime: at('10:00:00') } } };
  const before = decide('09:30:00', spec);
  assert.equal(before.create, undefined);
  assert.equal(wakes(before), '10:00:00');
  assert.equal(decide('12:00:00', spec).create, 'nightly');
});

test('repeat: the first run at once, named by its time, and the next is foretold', () => {
  const decision = decide('09:00:05', every10);
  assert.equal(decision.create, `nightly-${seconds(CREATED)}`);
  assert.equal(decision.status?.schedule?.startTime, CREATED);
  assert.equal(decision.status?.schedule?.expectedNextRunTime, at('09:10:00'));
  assert.equal(wakes(decision), '09:10:00');
});

test('repeat: nothing is due between two times, and nothing changes', () => {
  const first = decide('09:00:05', every10);
  const between = decide('09:05:00', every10, first.status);
  assert.deepEqual({ ...between, wakeAtMs: 0 }, { stop: [], remove: [], events: [], wakeAtMs: 0 });
  assert.equal(wakes(between), '09:10:00');
});

test('repeat: of the times missed without an operator the last is made up for', () => {
  const status: Status = { lastScheduleTime: CREATED, lastScheduleCompletionTime: at('09:02:00') };
  assert.equal(decide('09:47:00', every10, status).create, `nightly-${seconds(at('09:40:00'))}`);
});

test('repeat, Forbid: times that come while an engine runs are left out, with one Event each', () => {
  const status: Status = {
    ...active('nightly-1'),
    lastScheduleTime: CREATED,
    schedule: { status: 'running', startTime: CREATED, expectedNextRunTime: at('09:10:00') },
  };
  const engines = [engine('nightly-1', 'initialized')];
  const missed = decide('09:10:00', every10, status, engines);
  assert.equal(missed.create, undefined);
  assert.deepEqual(reasons(missed), ['MissEngine']);
  assert.deepEqual(reasons(decide('09:11:00', every10, missed.status, engines)), []);
  const ended = [engine('nightly-1', 'completed', at('09:12:00'))];
  const after = decide('09:12:01', every10, missed.status, ended);
  assert.equal(after.create, undefined);
  assert.equal(wakes(after), '09:20:00');
});

test('repeat, Forbid: a time that came after the end of the last engine is not left out, however late it is seen', () => {
  const status: Status = { ...active('nightly-1'), lastScheduleTime: CREATED };
  const ended = [engine('nightly-1', 'completed', at('09:02:00'))];
  assert.equal(decide('09:47:00', every10, status, ended).create, `nightly-${seconds(at('09:40:00'))}`);
});

test('repeat, Allow: the next engine starts beside the one that runs', () => {
  const spec: Spec = { ...every10, concurrencyPolicy: 'Allow' };
  const decision = decide('09:10:00', spec, { lastScheduleTime: CREATED }, [
    engine('nightly-1', 'initialized'),
  ]);
  assert.equal(decision.create, `nightly-${seconds(at('09:10:00'))}`);
});

test('repeat, Replace: what runs is stopped and reverted first', () => {
  const spec: Spec = { ...every10, concurrencyPolicy: 'Replace' };
  const status: Status = { ...active('nightly-1'), lastScheduleTime: CREATED };
  const first = decide('09:10:00', spec, status, [engine('nightly-1', 'initialized')]);
  assert.deepEqual([first.stop, first.create], [['nightly-1'], undefined]);
  const then = decide('09:10:02', spec, first.status, [engine('nightly-1', 'stopped', at('09:10:01'))]);
  assert.equal(then.create, `nightly-${seconds(at('09:10:00'))}`);
});

test('repeat: completed after the end of its range, when no engine runs', () => {
  const [repeat] = [every10.schedule?.repeat ?? {}];
  const spec: Spec = { schedule: { repeat: { ...repeat, timeRange: { endTime: at('09:15:00') } } } };
  const status: Status = { lastScheduleTime: at('09:10:00') };
  const before = decide('09:11:00', spec, status);
  assert.equal(wakes(before), '09:15:00');
  assert.equal(before.state, undefined);
  assert.equal(decide('09:15:00', spec, status, [engine('nightly-1', 'initialized')]).state, undefined);
  assert.equal(decide('09:15:00', spec, status).state, 'complete');
});

test('halt: nothing is created, what runs goes on; active again makes up for the last time', () => {
  const spec: Spec = { ...every10, scheduleState: 'halt' };
  const status: Status = { ...active('nightly-1'), lastScheduleTime: CREATED };
  const halted = decide('09:10:00', spec, status, [engine('nightly-1', 'initialized')]);
  assert.deepEqual([halted.create, halted.stop], [undefined, []]);
  assert.equal(halted.status?.schedule?.status, 'halted');
  assert.deepEqual(reasons(halted), ['ScheduleHalted']);
  assert.deepEqual(
    reasons(decide('09:11:00', spec, halted.status, [engine('nightly-1', 'initialized')])),
    [],
  );
  const resumed = decide('09:25:00', every10, { ...halted.status, active: [] });
  assert.equal(resumed.create, `nightly-${seconds(at('09:20:00'))}`);
  assert.equal(resumed.status?.schedule?.status, 'running');
});

test('stop: engines are stopped; those that are stopping are left alone', () => {
  const stopping = {
    ...engine('b', 'initialized'),
    spec: { ...engine('b', 'initialized').spec, engineState: 'stop' as const },
  };
  const decision = decide('09:10:00', { ...every10, scheduleState: 'stop' }, undefined, [
    engine('a', 'initialized'),
    stopping,
  ]);
  assert.deepEqual(decision.stop, ['a']);
  assert.equal(decision.status?.schedule?.status, 'stopped');
});

test('complete: when a user sets it, the schedule completes as soon as no engine runs', () => {
  const spec: Spec = { ...every10, scheduleState: 'complete' };
  assert.equal(
    decide('09:10:00', spec, {}, [engine('a', 'initialized')]).status?.schedule?.status,
    undefined,
  );
  assert.equal(decide('09:10:00', spec, {}).status?.schedule?.status, 'completed');
});

test('history: ended engines beyond the limit go, oldest first', () => {
  const names = ['nightly-1', 'nightly-2', 'nightly-3'];
  const engines = names.map((name) => engine(name, 'completed', at('09:01:00')));
  const status: Status = { lastScheduleTime: CREATED };
  assert.deepEqual(decide('09:05:00', { ...every10, historyLimit: 1 }, status, engines).remove, [
    'nightly-1',
    'nightly-2',
  ]);
  assert.deepEqual(decide('09:05:00', every10, status, engines).remove, []);
});

test('an engine that the operator refused counts as ended', () => {
  const refused = {
    ...engine('nightly', ''),
    spec: { ...engine('nightly', '').spec, engineState: 'stop' as const },
  };
  const status: Status = { ...active('nightly'), lastScheduleTime: CREATED };
  assert.equal(decide('09:05:00', { schedule: { now: true } }, status, [refused]).state, 'complete');
});

test('a schedule that is being deleted is left to the garbage collector', () => {
  const given = schedule(every10);
  const deleted = { ...given, metadata: { ...given.metadata, deletionTimestamp: CREATED } };
  assert.deepEqual(decideSchedule({ schedule: deleted, engines: [], nowMs: Date.parse(CREATED) }), {
    stop: [],
    remove: [],
    events: [],
  });
});
