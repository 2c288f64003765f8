import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import { TriggerTimes, withLastChange } from './trigger-time.ts';

const at = (second: number): string => `2030-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const SERVICE: Service = { metadata: { name: 'web', namespace: 'shop', creationTimestamp: at(1) } };

function readySince(name: string, second: number): Pod {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: at(second) };
  return { metadata: { name }, status: { conditions: [condition] } };
}

test('the earliest change since the last look; none when nothing that has a time has changed', () => {
  const times = new TriggerTimes();
  const next = (...pods: readonly Pod[]) => times.next('shop/web', SERVICE, pods);
  assert.equal(next(), at(1), 'the service is new');
  assert.equal(next(), undefined);
  assert.equal(next({ metadata: { name: 'a' } }), undefined, 'not ready yet');
  assert.equal(next(readySince('a', 9), readySince('b', 5)), at(5));
  assert.equal(next(readySince('a', 9), readySince('b', 5)), undefined);
  assert.equal(next(readySince('a', 12), readySince('b', 5)), at(12));
  assert.equal(next(readySince('b', 5)), undefined, 'that a pod went has no time');
  times.forget('shop/web');
  assert.equal(next(), at(1));
});

test('the annotation is set, and removed when the time is not known', () => {
  const name = 'endpoints.kubernetes.io/last-change-trigger-time';
  assert.deepEqual(withLastChange({ own: 'x' }, at(1)), { annotations: { own: 'x', [name]: at(1) } });
  assert.deepEqual(withLastChange({ own: 'x', [name]: at(1) }, undefined), { annotations: { own: 'x' } });
  assert.deepEqual(withLastChange({ [name]: at(1) }, undefined), {});
});
