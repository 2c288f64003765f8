import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { type PodAnswer, podAnswer, refusalText } from './pod-refusal.ts';
import type { TrialPod } from './trial-pods.ts';

/** A pod that the cluster would refuse, in words. */
export interface RefusedPod {
  readonly trial: TrialPod;
  readonly message: string;
}

/** What the cluster says to the pods of a run; nothing of them is stored. */
export interface TriedPods {
  readonly refused: readonly RefusedPod[];
  /** What could not be asked. */
  readonly notSeen: readonly string[];
}

/** How pods are tried. */
interface TryOptions {
  /** Who may make pods is not known beforehand: they are asked in this order until one may. */
  readonly clients: readonly KubeClient[];
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Asks the cluster by dry runs whether it would take the pods: Pod Security, policies, webhooks, limits and quotas answer as they will in the run. */
export async function tryPods(trials: readonly TrialPod[], options: TryOptions): Promise<TriedPods> {
  const { namespace } = options;
  const answers = await Promise.all(
    trials.map(async (trial) => ({ trial, answer: await askFor(trial.pod, options) })),
  );
  const mayNot = answers.some(({ answer }) => answer?.kind === 'may not');
  return {
    refused: answers.flatMap(({ trial, answer }) =>
      answer?.kind === 'refused' ? [{ trial, message: refusalText(trial, namespace, answer) }] : [],
    ),
    notSeen: mayNot
      ? [`whether namespace ${namespace} would take the run's pods: that takes the right to create pods`]
      : [],
  };
}

/** Undefined when the cluster would take it. */
async function askFor(pod: Pod, { clients, namespace, signal }: TryOptions): Promise<PodAnswer | undefined> {
  let answer: PodAnswer | undefined;
  for (const client of clients) {
    try {
      await client.create<Pod>(PODS, pod, { namespace, signal, dryRun: true });
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      answer = podAnswer(error);
      if (answer.kind !== 'may not') return answer;
    }
  }
  return answer;
}
