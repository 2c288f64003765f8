import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ContainerFact, ContainerRole, PodFact } from '../change.ts';
import { judgeFailedPod, type PodEnd, pendingMessage } from './pod-end.ts';

function ended(name: string, role: ContainerRole, exitCode: number, message?: string): ContainerFact {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    name,
    role,
    state: { kind: 'terminated', exitCode, reason, ...(message !== undefined && { message }) },
  };
}

function pod(containers: readonly ContainerFact[], rest: Partial<PodFact> = {}): PodFact {
  return { name: 'p', phase: 'Failed', containers, ...rest };
}

describe('a failed pod', () => {
  const rows: readonly [name: string, pod: PodFact, end: PodEnd][] = [
    ['the kubelet has a reason', pod([], { message: 'evicted' }), { phase: 'Failed', message: 'evicted' }],
    ['nothing is known', pod([]), { phase: 'Failed', message: "can't find failed message for pod p" }],
    ['main', pod([ended('main', 'main', 3)]), { phase: 'Failed', message: 'main: Error (exit code 3)' }],
    [
      'the helper comes before main',
      pod([ended('main', 'main', 3), ended('init', 'init', 64, 'no such file')]),
      { phase: 'Error', message: 'init: Error (exit code 64): no such file' },
    ],
    [
      "the user's own init container",
      pod([ended('pre', 'userInit', 5)]),
      { phase: 'Failed', message: 'pre: Error (exit code 5)' },
    ],
    [
      'a sidecar that was killed is no failure',
      pod([ended('main', 'main', 0), ended('wait', 'wait', 0), ended('s', 'sidecar', 137)]),
      { phase: 'Succeeded' },
    ],
    [
      'a sidecar that failed',
      pod([ended('main', 'main', 0), ended('s', 'sidecar', 1)]),
      { phase: 'Failed', message: 's: Error (exit code 1)' },
    ],
    [
      'main never began',
      pod([
        { name: 'main', role: 'main', state: { kind: 'waiting', reason: 'ErrImagePull', message: 'no' } },
      ]),
      { phase: 'Error', message: 'Pod failed before main container starts due to ErrImagePull: no' },
    ],
  ];
  for (const [name, failed, end] of rows) test(name, () => assert.deepEqual(judgeFailedPod(failed), end));
});

describe('what a pending pod waits for', () => {
  const waiting = (reason: string, message?: string): ContainerFact => ({
    name: 'main',
    role: 'main',
    state: { kind: 'waiting', reason, ...(message !== undefined && { message }) },
  });
  const rows: readonly [pod: PodFact, message: string | undefined][] = [
    [pod([waiting('PodInitializing')]), 'PodInitializing'],
    [pod([waiting('ErrImagePull', 'no such image')]), 'ErrImagePull: no such image'],
    [pod([], { unschedulable: '0/1 nodes' }), 'Unschedulable: 0/1 nodes'],
    [pod([]), undefined],
  ];
  for (const [pending, message] of rows) {
    test(String(message), () => assert.equal(pendingMessage(pending), message));
  }
});
