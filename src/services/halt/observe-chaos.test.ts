import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { isAtWork } from './observe-chaos.ts';

const status = (name: string, state: object) => ({
  name,
  state,
  ready: false,
  restartCount: 0,
  image: '',
  imageID: '',
});

function pod(phase: string, states: Readonly<Record<string, object>>, labels = {}): Pod {
  return {
    metadata: { name: 'p', labels },
    spec: { containers: Object.keys(states).map((name) => ({ name })) },
    status: { phase, containerStatuses: Object.entries(states).map(([name, state]) => status(name, state)) },
  };
}

const running = { running: {} };
const ended = { terminated: { exitCode: 0 } };
const CASES: readonly [string, Pod, boolean][] = [
  ['an experiment that runs', pod('Running', { main: running }), true],
  ['one that has not started', { metadata: { name: 'p' }, spec: { containers: [{ name: 'main' }] } }, true],
  ['one that has ended', pod('Succeeded', { main: ended }), false],
  ['one whose sidecar goes on', pod('Running', { main: ended, side: running }), false],
  ['one whose sidecar has ended', pod('Running', { main: running, side: ended }), true],
  ['a runner', pod('Running', { main: running }, { 'app.kubernetes.io/component': 'chaos-runner' }), false],
  ['a monitor', pod('Running', { main: running }, { 'app.kubernetes.io/component': 'chaos-monitor' }), false],
];

for (const [name, one, expected] of CASES) {
  test(`chaos: ${name} is ${expected ? '' : 'not '}at work`, () => assert.equal(isAtWork(one), expected));
}
