import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownPods, withFound, withKept } from './run-pods.ts';

const ENGINE = { engineUID: 'uid-1', namespace: 'shop', runnerPod: 'e-runner', experimentPod: 'e-x-1' };

test('the pods of a workflow are those of its steps that have begun, and those of its engines', () => {
  const nodes = {
    'flow-1': { type: 'Steps', startedAt: '1' },
    'flow-1-2': { type: 'ChaosEngine', startedAt: '2', chaosData: ENGINE },
    'flow-1-3': { type: 'Pod', startedAt: '' },
    'flow-1-4': { type: 'Pod', startedAt: '4' },
    'flow-1-5': null,
  };
  assert.deepEqual(knownPods(JSON.stringify({ name: 'flow-1', namespace: 'litmus', nodes })), {
    places: [
      { namespace: 'litmus', workflow: 'flow-1' },
      { namespace: 'shop', engineUID: 'uid-1' },
    ],
    pods: [
      { namespace: 'litmus', name: 'flow-1-2', container: 'main' },
      { namespace: 'shop', name: 'e-runner', container: null },
      { namespace: 'shop', name: 'e-x-1', container: null },
      { namespace: 'litmus', name: 'flow-1-4', container: 'main' },
    ],
  });
});

test('an engine without a workflow has no pods of steps, and one that has none yet says so in words', () => {
  const chaosData = { ...ENGINE, runnerPod: 'Yet to be launched', experimentPod: '' };
  const nodes = { e: { type: 'Steps', startedAt: '1' }, 'e-engine': { type: 'ChaosEngine', chaosData } };
  const text = JSON.stringify({ experimentType: 'chaosengine', name: 'e', namespace: 'shop', nodes });
  assert.deepEqual(knownPods(text), { places: [{ namespace: 'shop', engineUID: 'uid-1' }], pods: [] });
});

for (const text of ['', '[]', '{"nodes":7}', '{"nodes":{"a":{"chaosData":7}}}']) {
  test(`of ${JSON.stringify(text)} no pod is known`, () =>
    assert.deepEqual(knownPods(text), { places: [], pods: [] }));
}

const KNOWN = [
  { namespace: 'shop', name: 'e-runner', container: null },
  { namespace: 'shop', name: 'gone', container: null },
];
const THERE = [
  {
    namespace: 'shop',
    name: 'e-x-1',
    containers: ['a', 'b'],
    phase: 'Running',
    startedAt: '2026-01-01T00:00:02Z',
  },
  {
    namespace: 'shop',
    name: 'e-runner',
    containers: ['wait', 'main'],
    phase: 'Succeeded',
    startedAt: '2026-01-01T00:00:01Z',
  },
];

test('pods that are not found are gone, and those that are there come as they began', () => {
  assert.deepEqual(withFound(KNOWN, { pods: THERE, problems: [] }), {
    pods: [
      { namespace: 'shop', name: 'gone', container: null, isThere: false, isRunning: false, isKept: false },
      {
        namespace: 'shop',
        name: 'e-runner',
        container: 'main',
        isThere: true,
        isRunning: false,
        isKept: false,
      },
      { namespace: 'shop', name: 'e-x-1', container: 'a', isThere: true, isRunning: true, isKept: false },
    ],
    problem: null,
  });
});

test('no pod counts as gone where the agent could not look at a part', () => {
  const { pods, problem } = withFound(KNOWN, { pods: [], problems: ['namespace shop is not allowed'] });
  assert.equal(problem, 'namespace shop is not allowed');
  assert.deepEqual(
    pods.map(({ isThere }) => isThere),
    [null, null],
  );
});

test('pods whose logs are kept say so, and those of which nothing else is known are there as well', () => {
  const log = (name: string) => ({
    ...{ namespace: 'shop', name, container: 'main', text: '', leftOutBytes: 0, isOver: true, createdAt: '' },
  });
  const found = withFound(KNOWN, { pods: THERE, problems: [] });
  const { pods } = withKept(found, [log('helper'), log('gone')]);
  assert.deepEqual(
    pods.map(({ name, isThere, isKept }) => [name, isThere, isKept]),
    [
      ['helper', false, true],
      ['gone', false, true],
      ['e-runner', true, false],
      ['e-x-1', true, false],
    ],
  );
});
