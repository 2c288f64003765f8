import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { TtlStrategy, Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { claimsGo, claimsOf } from './claims.ts';
import { beyondRetention, expiryOf } from './expiry.ts';
import { podGcTime } from './pod-gc.ts';
import { disruptionBudgetOf } from './preparer.ts';

const END = '2026-01-01T00:00:00Z';
const END_MS = Date.parse(END);
type Phase = 'Succeeded' | 'Failed' | 'Error' | 'Running';

const BOTH: TtlStrategy = { secondsAfterCompletion: 100, secondsAfterSuccess: 10, secondsAfterFailure: 20 };
const TTL: readonly (readonly [ttl: TtlStrategy | undefined, phase: Phase, seconds: number | undefined])[] = [
  [undefined, 'Succeeded', undefined],
  [{}, 'Succeeded', undefined],
  [{ secondsAfterCompletion: 0 }, 'Succeeded', 1],
  [BOTH, 'Succeeded', 11],
  [BOTH, 'Failed', 21],
  [BOTH, 'Error', 101],
  [{ secondsAfterSuccess: 10 }, 'Failed', undefined],
  [{ secondsAfterFailure: 10 }, 'Error', undefined],
  [{ secondsAfterCompletion: 5 }, 'Failed', 6],
  [BOTH, 'Running', undefined],
];
for (const [ttl, phase, seconds] of TTL) {
  test(`time to live: ${JSON.stringify(ttl)} after ${phase}`, () => {
    const expected = seconds === undefined ? undefined : END_MS + seconds * 1000;
    assert.equal(expiryOf(ttl, { phase, finishedAt: END }), expected);
  });
}

test('time to live: without an end there is none', () => {
  assert.equal(expiryOf(BOTH, { phase: 'Succeeded' }), undefined);
});

function over(name: string, phase: Phase, minute: number): Workflow {
  const finishedAt = `2026-01-01T00:0${minute}:00Z`;
  return { metadata: { name }, spec: {}, status: { phase, finishedAt } };
}

test('retention: so many of each phase, the oldest go', () => {
  const all = [
    over('b', 'Succeeded', 2),
    over('a', 'Succeeded', 1),
    over('c', 'Failed', 3),
    over('d', 'Error', 4),
    over('e', 'Error', 0),
  ];
  const gone = (policy: object): string[] =>
    beyondRetention(all, policy).map(({ metadata }) => metadata.name);
  assert.deepEqual(gone({}), []);
  assert.deepEqual(gone({ completed: 1 }), ['a']);
  assert.deepEqual(gone({ completed: 0, failed: 1, errored: 1 }), ['a', 'b', 'e']);
});

const POD: Pod = {
  metadata: {
    name: 'wf-1',
    labels: { app: 'a' },
    annotations: { 'workflows.argoproj.io/pod-gc-strategy': 'OnPodCompletion/5s' },
  },
  status: {
    phase: 'Succeeded',
    containerStatuses: [
      {
        name: 'main',
        image: 'i',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode: 0, finishedAt: END } },
      },
    ],
  },
};

function podGc(
  order: string,
  phase: Phase,
  change: { readonly pod?: 'Failed'; readonly selector?: object } = {},
): number | undefined {
  const annotations = { 'workflows.argoproj.io/pod-gc-strategy': order };
  const status = { ...POD.status, phase: change.pod ?? 'Succeeded' };
  const pod = { ...POD, metadata: { ...POD.metadata, annotations }, status };
  const isOver = phase !== 'Running';
  const workflow: Workflow = {
    metadata: { name: 'wf', labels: { 'workflows.argoproj.io/completed': String(isOver) } },
    spec: { podGC: { ...(change.selector && { labelSelector: change.selector }) } },
    status: { phase, ...(isOver && { finishedAt: '2026-01-01T00:01:00Z' }) },
  };
  const time = podGcTime(pod, workflow, END_MS + 1_000_000);
  return time === undefined ? undefined : (time - END_MS) / 1000;
}

test('pods go when they have ended, or with their workflow, after the delay', () => {
  assert.equal(podGc('OnPodCompletion/5s', 'Running'), 5);
  assert.equal(podGc('OnPodCompletion/0s', 'Running', { pod: 'Failed' }), 0);
  assert.equal(podGc('OnPodSuccess/1m30s', 'Running'), 90);
  assert.equal(podGc('OnPodSuccess/5s', 'Running', { pod: 'Failed' }), undefined);
  assert.equal(podGc('OnWorkflowCompletion/5s', 'Running'), undefined);
  assert.equal(podGc('OnWorkflowCompletion/5s', 'Error'), 65);
  assert.equal(podGc('OnWorkflowSuccess/5s', 'Failed'), undefined);
  assert.equal(podGc('OnWorkflowSuccess/5s', 'Succeeded', { pod: 'Failed' }), 65);
  assert.equal(podGc('Whenever/5s', 'Succeeded'), undefined);
  assert.equal(podGc('OnPodCompletion/soon', 'Running'), undefined);
});

test('only the pods that the selector takes in go', () => {
  assert.equal(podGc('OnPodCompletion/5s', 'Running', { selector: { matchLabels: { app: 'a' } } }), 5);
  assert.equal(
    podGc('OnPodCompletion/5s', 'Running', { selector: { matchLabels: { app: 'b' } } }),
    undefined,
  );
});

const WORKFLOW: Workflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'wf', namespace: 'shop', uid: 'u' },
  spec: {},
};
const OWNER = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  name: 'wf',
  uid: 'u',
  controller: true,
  blockOwnerDeletion: true,
};

test('claims are named after the workflow, owned by it, and their tags are replaced', () => {
  const spec: WorkflowSpec = {
    volumeClaimTemplates: [
      {
        metadata: { name: 'work', labels: { app: 'a' } },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '{{workflow.parameters.size}}' } },
        },
        status: {},
      },
    ],
  };
  assert.deepEqual(claimsOf(WORKFLOW, spec, new Map([['workflow.parameters.size', '1Gi']])), [
    {
      object: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'wf-work',
          namespace: 'shop',
          labels: { app: 'a', 'workflows.argoproj.io/workflow': 'wf' },
          annotations: {},
          ownerReferences: [OWNER],
        },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      volume: { name: 'work', persistentVolumeClaim: { claimName: 'wf-work' } },
    },
  ]);
});

test('claims stay with a workflow that has failed, unless it says otherwise', () => {
  const goes = (strategy: string | undefined) =>
    (['Succeeded', 'Failed', 'Error'] as const).filter((phase) => claimsGo(strategy, phase));
  assert.deepEqual(goes(undefined), ['Succeeded']);
  assert.deepEqual(goes('OnWorkflowSuccess'), ['Succeeded']);
  assert.deepEqual(goes('OnWorkflowCompletion'), ['Succeeded', 'Failed', 'Error']);
});

test('the disruption budget is for all pods of the workflow, whatever selector it names', () => {
  assert.equal(disruptionBudgetOf(WORKFLOW, {}), undefined);
  const budget = disruptionBudgetOf(WORKFLOW, { podDisruptionBudget: { minAvailable: 9999, selector: {} } });
  const matchLabels = { 'workflows.argoproj.io/workflow': 'wf' };
  assert.deepEqual(budget?.spec, { minAvailable: 9999, selector: { matchLabels } });
  assert.deepEqual(budget?.metadata.ownerReferences, [OWNER]);
});
