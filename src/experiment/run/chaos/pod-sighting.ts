import type { Pod } from '@turnsole/kube/kinds/core';
import { lastingStatuses } from '@turnsole/kube/kinds/lasting-containers';
import { POD_RESTARTED, POD_STEPS } from '../../../api/timeline.ts';
import { isReady } from '../../targets/health/judge-pods.ts';

/** How a pod was seen. */
export interface PodSighting {
  readonly state: keyof typeof POD_STEPS;
  /** Restarts of all its containers together. */
  readonly restarts: number;
  /** Of a pod that is gone, those by which it was last seen. */
  readonly uid: string | undefined;
  readonly version: string | undefined;
}

/** What a sighting adds to the timeline. */
interface PodNews {
  readonly step: string;
  readonly message: string;
}

/** A pod that is there, or is not, as a sighting. Pure. @param before the sighting before it */
export function sightingOf(pod: Pod | undefined, before?: PodSighting): PodSighting {
  if (pod === undefined) return { state: 'gone', restarts: 0, uid: before?.uid, version: before?.version };
  const { deletionTimestamp, uid, resourceVersion: version } = pod.metadata;
  const phase = pod.status?.phase;
  const restarts = lastingStatuses(pod).reduce((sum, { restartCount }) => sum + restartCount, 0);
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const state =
    deletionTimestamp !== undefined ? 'terminating' : hasEnded ? 'ended' : isReady(pod) ? 'ready' : 'unready';
  return { state, restarts, uid, version };
}

/**
 * Whether a sighting tells less than what is known. Several sources report pods (a watch, lists of the fault), so that an older state may
 * come after a newer one. A pod that is gone stays gone: only a newer version of it that is not being deleted shows that a list had been
 * too old to have it. Pure.
 */
export function isStale(before: PodSighting | undefined, now: PodSighting): boolean {
  if (before === undefined || now.state === 'gone') return false;
  const age = compareVersions(now.version, before.version);
  if (before.state !== 'gone' || before.uid !== now.uid) return age < 0;
  return age <= 0 || now.state === 'terminating' || now.state === 'ended';
}

/** Order of two resource versions of a kind; 0 where they cannot be compared. */
function compareVersions(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined || !/^\d+$/.test(a) || !/^\d+$/.test(b)) return 0;
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** What a sighting says that the one before did not. Pure. */
export function podNews(name: string, before: PodSighting | undefined, now: PodSighting): readonly PodNews[] {
  const isOther = before?.uid !== undefined && now.uid !== undefined && before.uid !== now.uid;
  const hasRestarted = before !== undefined && !isOther && now.restarts > before.restarts;
  const restarts = now.restarts - (before?.restarts ?? 0);
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  const restarted = { step: POD_RESTARTED, message: `containers of ${name} were restarted ${times}` };
  const isNews = before?.state !== now.state || isOther;
  const message = `${isOther ? 'another pod named ' : ''}${name} ${WORDS[now.state]}`;
  return [...(hasRestarted ? [restarted] : []), ...(isNews ? [{ step: POD_STEPS[now.state], message }] : [])];
}

const WORDS: Readonly<Record<PodSighting['state'], string>> = {
  ready: 'is ready',
  unready: 'is not ready',
  terminating: 'is being deleted',
  ended: 'has ended',
  gone: 'is gone',
};
