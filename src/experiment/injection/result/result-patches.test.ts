import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyMergePatch } from '@turnsole/kube/text/merge-patch';
import type { ChaosResult } from '../../../api/index.ts';
import { mergeTargets, targetsOfAnnotations } from '../../../chaos/history-targets.ts';
import { compile } from '../testing/builders.ts';
import { endPatch, startPatch } from './result-patches.ts';
import { judge } from './verdict.ts';

const { settings } = compile({
  CHAOSENGINE: 'eng',
  EXPERIMENT_NAME: 'pod-delete',
  CHAOS_UID: 'u1',
  RUN_ID: 'run2',
});

const existing: ChaosResult = {
  metadata: { name: 'eng-pod-delete', annotations: { 'pod/old': 'injected', 'other/note': 'kept' } },
  status: {
    experimentStatus: {
      phase: 'Error',
      verdict: 'Error',
      probeSuccessPercentage: '0',
      errorOutput: { errorCode: 'GENERIC_ERROR', reason: 'old' },
    },
    history: {
      passedRuns: 3,
      failedRuns: 2,
      stoppedRuns: 1,
      targets: [{ name: 'web', kind: 'deployment', chaosStatus: 'targeted' }],
    },
    ledger: {
      closed: { id: 'closed', fault: 'f', target: { kind: 'pod', name: 'x' }, parameters: {}, state: 'done' },
      open: { id: 'open', fault: 'f', target: { kind: 'pod', name: 'y' }, parameters: {}, state: 'injected' },
    },
  },
};

test('the start of a run keeps counters, targets and open ledger entries, and clears the last outcome', () => {
  const patch = startPatch({ settings, existing, podLabels: { team: 'a' }, probeStatuses: [] });
  // A patch of a result gives a result.
  const result = applyMergePatch({ ...existing }, patch) as unknown as ChaosResult;
  assert.deepEqual(result.metadata.labels, { team: 'a', chaosUID: 'u1', 'turnsole.io/run-id': 'run2' });
  assert.deepEqual(result.metadata.annotations, { 'other/note': 'kept' });
  assert.deepEqual(result.spec, { engine: 'eng', experiment: 'pod-delete' });
  assert.deepEqual(result.status?.experimentStatus, {
    phase: 'Running',
    verdict: 'Awaited',
    probeSuccessPercentage: 'Awaited',
  });
  assert.deepEqual(result.status?.history, existing.status?.history);
  assert.deepEqual(Object.keys(result.status?.ledger ?? {}), ['open']);
});

test('the end of a run counts it and replaces the targets by its own', () => {
  const judgement = judge({ kind: 'completed' }, [], new Set());
  const targets = [{ name: 'db', kind: 'statefulset', chaosStatus: 'targeted' }] as const;
  const current: ChaosResult = {
    ...existing,
    metadata: { ...existing.metadata, annotations: { 'statefulset/db': 'targeted', 'other/note': 'kept' } },
  };
  const patch = endPatch({ settings, existing: current, podLabels: {}, judgement, targets });
  const result = applyMergePatch({ ...current }, patch) as unknown as ChaosResult;
  assert.deepEqual(result.metadata.annotations, { 'other/note': 'kept' });
  assert.deepEqual(result.status?.history, {
    passedRuns: 4,
    failedRuns: 2,
    stoppedRuns: 1,
    targets: [...targets],
  });
  assert.equal(result.status?.experimentStatus?.verdict, 'Pass');
  assert.deepEqual(result.status?.closed, { runId: settings.runId, pod: settings.podName });
  const next = startPatch({ settings, existing: result, podLabels: {}, probeStatuses: [] });
  const begun = applyMergePatch({ ...result }, next) as unknown as ChaosResult;
  assert.equal(begun.status?.closed, undefined, 'the next run has not said its last word');
});

test('annotations of targets are separated from others', () => {
  assert.deepEqual(
    targetsOfAnnotations({ 'pod/a': 'injected', 'node/b': 'reverted', 'x/y': 'z', plain: 'targeted' }),
    [
      { kind: 'pod', name: 'a', chaosStatus: 'injected' },
      { kind: 'node', name: 'b', chaosStatus: 'reverted' },
    ],
  );
  assert.deepEqual(targetsOfAnnotations(undefined), []);
});

test('a later status of the same kind and name wins; a node and a pod of one name are two', () => {
  const target = (kind: string, chaosStatus: 'injected' | 'reverted') => ({ kind, name: 'a', chaosStatus });
  assert.deepEqual(
    mergeTargets([target('pod', 'injected'), target('node', 'injected')], [target('pod', 'reverted')]),
    [target('pod', 'reverted'), target('node', 'injected')],
  );
});
