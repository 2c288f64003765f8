import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod, ResourceRequirements } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { container, NOW, running } from '../testing/observed.ts';
import { grantedSpec, hasSameAmounts, resizeStep } from './allocation.ts';
import { PodResizing } from './pod-resizing.ts';

const BIG: ResourceRequirements = { limits: { memory: '128Mi' }, requests: { cpu: '100m' } };
const SMALL: ResourceRequirements = { limits: { memory: '64Mi' }, requests: { cpu: '100m' } };
const RESTARTS = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];

const STEPS: readonly (readonly [
  what: string,
  state: ReturnType<typeof running>,
  Partial<Container>,
  unknown,
])[] = [
  ['has what it was granted', running({ resources: BIG }), {}, undefined],
  ['has as much in other words', running({ resources: { ...BIG, requests: { cpu: '0.1' } } }), {}, undefined],
  ['has less than it was granted', running({ resources: SMALL }), {}, 'update'],
  ['is to be started again for it', running({ resources: SMALL }), { resizePolicy: RESTARTS }, 'restart'],
  [
    'is to be started again for another resource',
    running({ resources: { ...BIG, requests: { cpu: '50m' } } }),
    { resizePolicy: RESTARTS },
    'update',
  ],
  ['is being stopped', running({ resources: SMALL, stopByMs: NOW }), {}, undefined],
  ['does not run', { phase: 'idle' }, {}, undefined],
];

for (const [what, state, spec, step] of STEPS) {
  test(`the step for a container that ${what}`, () => {
    assert.equal(resizeStep(container('main', state, { spec: { resources: BIG, ...spec } })), step);
  });
}

test('what a node has granted is in the status, where there is one', () => {
  const spec = { containers: ['a', 'b'].map((name) => ({ name, resources: BIG })) };
  const granted = { name: 'a', resources: SMALL, allocatedResources: { cpu: '70m' } };
  // Test data: written as it is.
  const pod = { metadata: { name: 'web' }, spec, status: { containerStatuses: [granted] } } as unknown as Pod;
  assert.deepEqual(
    grantedSpec(pod)?.containers.map(({ resources }) => resources),
    [{ ...SMALL, requests: { cpu: '70m' } }, BIG],
  );
});

test('limits that a run does not take are an error, which is told once and tried again', () => {
  const clock = new FakeClock(NOW);
  const containers = new Map([
    ['main', container('main', running({ resources: BIG }), { spec: { resources: BIG } })],
  ]);
  const events: string[] = [];
  let refusal: string | undefined = 'cannot decrease memory limits';
  const resizing = new PodResizing({
    pod: () => ({
      metadata: { name: 'web', generation: 2 },
      spec: { containers: [{ name: 'main', resources: SMALL }] },
    }),
    containers,
    clock,
    grant: () => undefined,
    patch: (name, change) => {
      const before = containers.get(name);
      assert.ok(before !== undefined);
      containers.set(name, { ...before, ...change });
    },
    update: () => {
      if (refusal !== undefined) throw new Error(refusal);
    },
    restart: () => assert.fail('nothing asks for a restart'),
    event: ({ reason, message }) => events.push(`${reason} ${/"error":"([^"]*)"/.exec(message)?.[1] ?? ''}`),
  });
  resizing.step();
  resizing.step();
  const shown = resizing.conditions.map(({ type, reason, message }) => [type, reason, message]);
  assert.deepEqual(shown, [['PodResizeInProgress', 'Error', 'cannot decrease memory limits']]);
  assert.equal(resizing.retryAtMs, NOW + 10_000);
  clock.advanceSync(10_000);
  resizing.step();
  refusal = undefined;
  resizing.step();
  assert.deepEqual(resizing.conditions.length, 1, 'not before it is time');
  clock.advanceSync(10_000);
  resizing.step();
  assert.deepEqual(resizing.conditions, []);
  assert.deepEqual(events, [
    'ResizeStarted ',
    'ResizeError cannot decrease memory limits',
    'ResizeCompleted ',
  ]);
  const state = containers.get('main')?.state;
  assert.ok(state?.phase === 'running' && hasSameAmounts(state.resources, SMALL));
});
