import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PressureLog } from './pressure-log.ts';

test('what the machine is like before the fault is kept apart from what it becomes', async () => {
  const clock = new FakeClock();
  let load = 1;
  const reader = { clock, cores: () => 2, load: () => load, cpuWaitPercent: () => 90 };
  const log = new PressureLog('experiment/pod-cpu-hog', reader);
  await clock.advance(5_000);
  log.faultBegins();
  load = 31;
  await clock.advance(5_000);
  log.faultBegins();
  assert.equal(log.before?.load?.value, 1, 'the load of the fault is not that of the machine before it');
  assert.equal(log.overload(), 'this machine was overloaded: load 31 on 2 cores');
  assert.equal(log.end()[0]?.load?.value, 31);
  assert.equal(clock.pending, 0);
});

test('a machine that is not read is not known', () => {
  const log = new PressureLog('experiment/pod-delete', undefined);
  log.faultBegins();
  assert.deepEqual([log.before, log.overload(), log.end()], [undefined, undefined, []]);
});
