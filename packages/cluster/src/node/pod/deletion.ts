import type { Pod } from '@turnsole/kube/kinds/core';
import type { PodDeletion } from './observed.ts';

const DEFAULT_GRACE_SECONDS = 30;

/** The deletion of a pod whose object is seen at `nowMs`; pure. A known deadline is never put off. */
export function seenDeletion(
  { metadata }: Pod,
  known: PodDeletion | undefined,
  nowMs: number,
): PodDeletion | undefined {
  if (metadata.deletionTimestamp === undefined || known?.objectGone === true) return known;
  // The timestamp has whole seconds only; counting from when it is seen never takes a part of the grace away.
  const graceMs = (metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
  const deadlineMs = Math.min(known?.deadlineMs ?? Number.POSITIVE_INFINITY, nowMs + graceMs);
  return { deadlineMs, objectGone: false, requested: known?.requested ?? false };
}
