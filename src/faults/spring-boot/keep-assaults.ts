import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { describeError } from '../../experiment/injection/errors.ts';
import type { ApiHold, FaultContext, Injection } from '../../experiment/injection/fault.ts';
import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import { isKill } from './assaults.ts';
import { parametersOf } from './monkey-parameters.ts';
import { type MonkeyPod, monkeyPodOf } from './monkey-pod.ts';

/** Does the assault to an incarnation of the application. */
type Assail = (injection: Injection, pod: MonkeyPod, context: FaultContext) => Promise<void>;

/** Pauses between attempts on an application that has restarted but does not answer yet. */
const RETRY_MS = { first: 250, most: 2_000 } as const;

/**
 * Lets the time of the assault pass. An application that restarts meanwhile has forgotten the assault, and gets it again. One that was
 * killed on purpose is left in peace: it would never be up again.
 */
export function keepAssaults(assail: Assail): NonNullable<ApiHold['hold']> {
  return async (injections, context, durationMs) => {
    const { clock, signal } = context;
    const endsAt = clock.monotonic() + durationMs;
    await Promise.all([
      clock.sleep(durationMs, signal),
      ...injections
        .filter((injection) => !isKill(parametersOf(injection).assaults))
        .map((injection) => keepOne(injection, assail, context, endsAt)),
    ]);
  };
}

async function keepOne(
  injection: Injection,
  assail: Assail,
  context: FaultContext,
  endsAt: number,
): Promise<void> {
  const { clock, signal, note } = context;
  const object = objectOf(injection.target);
  let { containerId } = parametersOf(injection);
  let pauseMs: number = RETRY_MS.first;
  for (;;) {
    const pod = await nextIncarnation(injection, containerId, context, endsAt - clock.monotonic());
    if (pod === undefined) return;
    if (pod === 'gone') {
      note('TargetGone', object, 'the pod is gone, and the assault with it');
      return;
    }
    try {
      await assail(injection, pod, context);
      containerId = pod.containerId ?? '';
      pauseMs = RETRY_MS.first;
      context.force?.began(injection.id);
      note('Reinjected', object, 'the application has restarted, and is assailed again');
    } catch (error) {
      signal.throwIfAborted();
      note('ReinjectFailed', object, describeError(error));
      await clock.sleep(Math.min(pauseMs, Math.max(endsAt - clock.monotonic(), 0)), signal);
      pauseMs = Math.min(RETRY_MS.most, pauseMs * 2);
    }
  }
}

/** The next incarnation that is ready; undefined when none came in time. */
async function nextIncarnation(
  injection: Injection,
  containerId: string,
  { client, clock, signal, force }: FaultContext,
  timeoutMs: number,
): Promise<MonkeyPod | 'gone' | undefined> {
  if (timeoutMs <= 0) return undefined;
  const { target } = injection;
  const { port } = parametersOf(injection);
  const find = (pod: Pod | undefined): MonkeyPod | 'gone' | undefined => {
    if (pod === undefined || pod.metadata.uid !== target.uid) return 'gone';
    const seen = monkeyPodOf(pod, port);
    if (seen.over) return 'gone';
    // From when the application is not the one that was assailed, and not only from when the next one is ready.
    if (seen.containerId !== containerId) force?.lapsed(injection.id, 'ContainerRestarted');
    const isNew = seen.containerId !== undefined && seen.containerId !== containerId;
    return isNew && seen.ready ? seen : undefined;
  };
  const look = (pod: Pod | undefined): ReturnType<typeof find> => {
    const found = find(pod);
    if (found === 'gone') force?.lapsed(injection.id, 'PodGone');
    return found;
  };
  try {
    const found = await waitForObject<Pod>(client, PODS, target.name, (pod) => look(pod) !== undefined, {
      namespace: target.namespace,
      timeoutMs,
      signal,
      clock,
    });
    return look(found);
  } catch (error) {
    if (error instanceof WaitTimeoutError) return undefined;
    throw error;
  }
}
