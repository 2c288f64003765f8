import { parseTime } from '@turnsole/kube/text/time';
import type { TtlStrategy, Workflow } from '@turnsole/workflows/kinds/workflow';

/** How many completed workflows are kept, by phase: `retentionPolicy` of the configuration. An absent number keeps all. */
export interface RetentionPolicy {
  readonly completed?: number;
  readonly failed?: number;
  readonly errored?: number;
}

/** Argo's controller waits a second longer than it says, so that a client which counts as well sees the workflow to the end. */
const GRACE_SECONDS = 1;

/**
 * When a workflow that is over is to be deleted, in milliseconds since 1970; undefined for never. The field of its phase wins over
 * `secondsAfterCompletion`; Error has no field of its own. Pure.
 */
export function expiryOf(ttl: TtlStrategy | undefined, status: Workflow['status']): number | undefined {
  const finishedAt = parseTime(status?.finishedAt);
  const seconds = secondsOf(ttl, status?.phase);
  return finishedAt === undefined || seconds === undefined
    ? undefined
    : finishedAt + (seconds + GRACE_SECONDS) * 1000;
}

function secondsOf(ttl: TtlStrategy | undefined, phase: string | undefined): number | undefined {
  const { secondsAfterCompletion, secondsAfterSuccess, secondsAfterFailure } = ttl ?? {};
  if (phase === 'Succeeded') return secondsAfterSuccess ?? secondsAfterCompletion;
  if (phase === 'Failed') return secondsAfterFailure ?? secondsAfterCompletion;
  return phase === 'Error' ? secondsAfterCompletion : undefined;
}

/** The completed workflows that exceed the policy's numbers, oldest first. Pure. */
export function beyondRetention(over: readonly Workflow[], policy: RetentionPolicy): Workflow[] {
  const { completed, failed, errored } = policy;
  const limits = [
    ['Succeeded', completed],
    ['Failed', failed],
    ['Error', errored],
  ] as const;
  return limits.flatMap(([phase, most]) => {
    if (most === undefined) return [];
    const ofPhase = over.filter(({ status }) => status?.phase === phase).toSorted(byEnd);
    return ofPhase.slice(0, Math.max(0, ofPhase.length - most));
  });
}

function byEnd(a: Workflow, b: Workflow): number {
  return endOf(a) - endOf(b);
}

function endOf({ status }: Workflow): number {
  return parseTime(status?.finishedAt) ?? 0;
}
