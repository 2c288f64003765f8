import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deedOf, firstFaults } from './deed.ts';
import type { Step } from './draft.ts';
import { COMMON_SETTINGS, KNOWN_FAULTS } from './generated/fault-settings.ts';

const BOOK = { common: COMMON_SETTINGS, faults: KNOWN_FAULTS };
const step = (name: string, hasTarget = true): Step => ({
  ...{ name, settings: {}, probes: [], weight: 10, isParallel: false },
  fault: { name, description: '', resource: {}, defaults: new Map(), hasTarget },
  target: { namespace: 'shop', kind: 'deployment', label: 'app=web' },
});

test('one fault on pods is a sentence; one that comes in rounds says so', () => {
  assert.deepEqual(deedOf([step('pod-delete')], BOOK), { begin: 'Delete', isRepeated: true });
  assert.deepEqual(deedOf([step('pod-network-latency')], BOOK), {
    begin: 'Delay the network of',
    isRepeated: false,
  });
});

for (const [name, steps] of [
  ['no fault', []],
  ['two faults', [step('pod-delete'), step('pod-delete')]],
  ['a fault on nodes', [step('node-drain', false)]],
  ['a fault of another hub', [step('their-fault')]],
] as const)
  test(`${name}: no sentence`, () => assert.equal(deedOf(steps, BOOK), undefined));

test('what most experiments begin with is offered as far as the hub has it', () =>
  assert.deepEqual(firstFaults(['aws/ec2-stop', 'kubernetes/pod-cpu-hog', 'kubernetes/pod-delete']), [
    { place: 'kubernetes/pod-delete', words: 'Delete pods' },
    { place: 'kubernetes/pod-cpu-hog', words: 'Load the processors of pods' },
  ]));
