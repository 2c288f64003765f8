import type { Pod } from '@turnsole/kube/kinds/core';
import { type PodStartProblem, podStartProblem } from '../../chaos/pod-start.ts';

/**
 * How the pod of an experiment stands.
 *
 * - `absent`: the Job controller has not made it yet.
 * - `starting`: its container does not run yet; `problem` says what keeps it, if anything does.
 * - `running`: the experiment runs.
 * - `ended`: its container has ended; `detail` says how when it did not end with exit code 0.
 * - `gone`: it was there and is no more.
 */
export type PodState =
  | { readonly kind: 'absent' | 'gone' }
  | { readonly kind: 'starting'; readonly pod: string; readonly problem?: PodStartProblem }
  | { readonly kind: 'running'; readonly pod: string }
  | { readonly kind: 'ended'; readonly pod: string; readonly detail?: string };

/** State of an experiment's pod by its container of this name. Pure. */
export function observeExperimentPod(pods: readonly Pod[], container: string, sawPod: boolean): PodState {
  // One pod per Job (backoffLimit 0); should there be several, the newest one counts.
  const pod = [...pods].sort(byAge).at(-1);
  if (pod === undefined) return { kind: sawPod ? 'gone' : 'absent' };
  const name = pod.metadata.name;
  const status = pod.status?.containerStatuses?.find((candidate) => candidate.name === container);
  const terminated = status?.state?.terminated;
  if (terminated !== undefined) {
    if (terminated.exitCode === 0) return { kind: 'ended', pod: name };
    const last = lastLine(terminated.message ?? '');
    const message = last === '' ? '' : `: ${last}`;
    const detail = `its container ended with ${terminated.reason ?? 'Error'} (exit code ${terminated.exitCode})${message}`;
    return { kind: 'ended', pod: name, detail };
  }
  const phase = pod.status?.phase;
  if (phase === 'Failed') {
    const said = [pod.status?.reason, pod.status?.message].filter((part) => part !== undefined).join(': ');
    return { kind: 'ended', pod: name, detail: `its pod failed${said === '' ? '' : ` (${said})`}` };
  }
  if (phase === 'Succeeded') return { kind: 'ended', pod: name };
  if (status?.state?.running !== undefined) return { kind: 'running', pod: name };
  const problem = podStartProblem(pod);
  return { kind: 'starting', pod: name, ...(problem === undefined ? {} : { problem }) };
}

/** Longer lines are cut: the text stands in the engine's status. */
const MOST_CHARACTERS = 500;

/** What a program said last, which is usually why it ended. */
function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

function byAge(a: Pod, b: Pod): number {
  const left = a.metadata.creationTimestamp ?? '';
  const right = b.metadata.creationTimestamp ?? '';
  return left < right ? -1 : left > right ? 1 : 0;
}
