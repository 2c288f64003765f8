import type { ContainerStatus, PodStatus } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';
import { hasInitialized, type ObservedPod } from './observed.ts';

export type PodCondition = NonNullable<PodStatus['conditions']>[number];

/** What the conditions follow from. */
interface ConditionInput {
  readonly pod: ObservedPod;
  readonly phase: string;
  readonly init: readonly ContainerStatus[];
  readonly apps: readonly ContainerStatus[];
  /** Conditions the object has now, of whichever owner. */
  readonly present: readonly PodCondition[];
}

interface Judgement {
  readonly type: string;
  readonly holds: boolean;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * The conditions the node agent writes: PodReadyToStartContainers, Initialized, Ready, ContainersReady, PodScheduled; pure. Reasons and
 * messages are kubelet's. A condition whose status is unchanged keeps the time of its last transition.
 */
export function podConditions(input: ConditionInput): PodCondition[] {
  const { pod, present } = input;
  const containersReady = judgeContainersReady(input);
  const judgements = [
    { type: 'PodReadyToStartContainers', holds: pod.sandbox.phase === 'ready' },
    judgeInitialized(input),
    judgeReady(input, containersReady),
    containersReady,
    // It is on its node, however it came there.
    { type: 'PodScheduled', holds: true },
  ];
  return judgements.map((judgement) => toCondition(judgement, present, pod));
}

/** Of which specification a condition speaks. */
function generationOf({ generation }: ObservedPod): { observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}

const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
]);

/** The conditions of others as the object has them, with our own, which we have set more recently than the object shows. */
export function presentConditions(
  own: readonly PodCondition[],
  object: readonly PodCondition[] | undefined,
): PodCondition[] {
  const others = (object ?? []).filter((condition) => !OWN_CONDITIONS.has(condition.type));
  return [...own.filter((condition) => OWN_CONDITIONS.has(condition.type)), ...others];
}

function judgeInitialized({ pod, phase, init }: ConditionInput): Judgement {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, holds: true, reason: 'PodCompleted' };
  if (hasInitialized(pod)) return { type, holds: true };
  const names = init
    .filter((status) => !status.ready && !isStartedSidecar(pod, status))
    .map((status) => status.name);
  return {
    type,
    holds: false,
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names.join(' ')}]`,
  };
}

function isStartedSidecar(pod: ObservedPod, { name, started }: ContainerStatus): boolean {
  const role = pod.containers.find(({ spec }) => spec.name === name)?.role;
  return role === 'sidecar' && started === true;
}

function judgeContainersReady({ phase, pod, init, apps }: ConditionInput): Judgement {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, holds: false, reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, holds: false, reason: 'PodFailed' };
  const sidecars = new Set(
    pod.containers
      .filter((container) => container.role === 'sidecar')
      .map((container) => container.spec.name),
  );
  const counted = [...init.filter((status) => sidecars.has(status.name)), ...apps];
  const unready = counted.filter((status) => !status.ready).map((status) => status.name);
  if (unready.length === 0) return { type, holds: true };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { type, holds: false, reason: 'ContainersNotReady', message };
}

function judgeReady({ pod, present }: ConditionInput, containersReady: Judgement): Judgement {
  const type = 'Ready';
  if (!containersReady.holds) return { ...containersReady, type };
  const problems = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = present.find((condition) => condition.type === conditionType);
    if (gate === undefined) {
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    }
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (problems.length === 0) return { type, holds: true };
  return { type, holds: false, reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

function toCondition(
  { type, holds, reason, message }: Judgement,
  present: readonly PodCondition[],
  pod: ObservedPod,
): PodCondition {
  const status = holds ? 'True' : 'False';
  const before = present.find((condition) => condition.type === type);
  const unchanged = before?.status === status && before.lastTransitionTime !== undefined;
  return {
    type,
    status,
    ...generationOf(pod),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    lastTransitionTime: unchanged ? before.lastTransitionTime : metaTime(pod.nowMs),
  };
}
