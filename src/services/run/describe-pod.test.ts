import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerStatus, CoreEvent, Pod } from '@turnsole/kube/kinds/core';
import { describePod } from './describe-pod.ts';

function pod(status: Partial<ContainerStatus>): Pod {
  const whole = { name: 'c', image: 'shop/api', imageID: '', ready: false, restartCount: 0, ...status };
  return { metadata: { name: 'api-1', uid: 'u' }, status: { phase: 'Running', containerStatuses: [whole] } };
}

function warning(reason: string, message: string): CoreEvent {
  return {
    metadata: { name: reason },
    type: 'Warning',
    reason,
    message,
    involvedObject: { name: 'api-1', uid: 'u' },
  };
}

function described(
  status: Partial<ContainerStatus>,
  { events = [], log = [], isIsolated }: { events?: CoreEvent[]; log?: string[]; isIsolated?: boolean } = {},
): string {
  const logs = new Map([['c', log]]);
  return describePod({
    pod: pod(status),
    events,
    logs,
    ...(isIsolated !== undefined && { isIsolated }),
  }).join('\n');
}

const running = { state: { running: {} } };

describe('why a pod is not ready', () => {
  it('a probe that fails: its last result', () => {
    const events = [warning('Unhealthy', 'Readiness probe failed: connect ECONNREFUSED 10.1.0.2:81')];
    assert.equal(
      described(running, { events }),
      '  pod api-1: container c runs, and is not ready\n    Unhealthy: Readiness probe failed: connect ECONNREFUSED 10.1.0.2:81',
    );
  });

  it('a program that ends: exit code, how often, and what it printed last', () => {
    const ended = { terminated: { exitCode: 3, reason: 'Error' } };
    const status = { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended, restartCount: 2 };
    const events = [warning('BackOff', 'Back-off restarting failed container')];
    assert.equal(
      described(status, { events, log: ['no DATABASE_URL'] }),
      '  pod api-1: container c ended with exit code 3, started 3 times\n    | no DATABASE_URL',
    );
  });

  it('a container that was killed for its memory', () => {
    const lastState = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
    assert.match(
      described({ ...running, lastState, restartCount: 1 }),
      /runs, and is not ready; before that it ended with exit code 137 \(OOMKilled\), started 2 times/,
    );
  });

  it('an image that cannot be had', () => {
    const state = { waiting: { reason: 'ErrImagePull', message: 'not found' } };
    assert.match(
      described({ state }),
      /container c of pod api-1 \(image shop\/api\) is waiting with ErrImagePull: not found/,
    );
  });

  const advices: [log: string, isIsolated: boolean | undefined, advice: RegExp][] = [
    [
      'Error: listen EADDRINUSE: address already in use :::8080',
      false,
      /pods share the ports of this machine here/,
    ],
    ['OSError: [Errno 98] Address already in use', true, /by another program of the same pod/],
    [
      'redis: connect ECONNREFUSED 127.0.0.1:6379',
      undefined,
      /is the pod itself: give the program the name of the Service/,
    ],
    ['dial tcp [::1]:5432: connect: connection refused', undefined, /is the pod itself/],
    ['getaddrinfo ENOTFOUND redis', undefined, /a name was not found/],
  ];
  for (const [log, isIsolated, advice] of advices)
    it(`what to do about "${log}"`, () => {
      assert.match(
        described(running, { log: [log], ...(isIsolated !== undefined && { isIsolated }) }),
        advice,
      );
    });

  it('says nothing where nothing is known to do', () => {
    assert.equal(described(running, { log: ['listening'] }).split('\n').length, 2);
  });
});
