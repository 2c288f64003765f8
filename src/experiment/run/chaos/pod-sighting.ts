import type { Pod } from '../../../api/index.ts';
import { POD_RESTARTED, POD_STEPS } from '../../../api/timeline.ts';
import { isReady } from '../../targets/health/judge-pods.ts';

/** How a pod was seen. */
export interface PodSighting {
  readonly state: keyof typeof POD_STEPS;
  /** Restarts of all its containers together. */
  readonly restarts: number;
  readonly uid: string | undefined;
}

/** What a sighting adds to the timeline. */
interface PodNews {
  readonly step: string;
  readonly message: string;
}

/** A pod that is there, or is not, as a sighting. Pure. */
export function sightingOf(pod: Pod | undefined): PodSighting {
  if (pod === undefined) return { state: 'gone', restarts: 0, uid: undefined };
  const { deletionTimestamp, uid } = pod.metadata;
  const { phase, containerStatuses = [] } = pod.status ?? {};
  const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const state =
    deletionTimestamp !== undefined ? 'terminating' : hasEnded ? 'ended' : isReady(pod) ? 'ready' : 'unready';
  return { state, restarts, uid };
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
