import type { Pod } from '@turnsole/kube/kinds/core';

/** Why a pod does not start, as far as its status says. */
export interface PodStartProblem {
  /** CamelCase: ImagePullFailed, ContainerCannotStart, Unschedulable, MountFailed… */
  readonly reason: StartProblemReason;
  /** A sentence for people, with what the kubelet or scheduler said. */
  readonly message: string;
}

/**
 * How long the cause of a pod that does not start may take to go away, in milliseconds. Zero: it never goes away by
 * itself. Others do: a registry has a bad minute, an autoscaler adds a node, a quota is freed, a service account is
 * applied a moment after the engine.
 */
export const START_PATIENCE_MS = {
  ImageNameInvalid: 0,
  SpecInvalid: 0,
  ImagePullFailed: 60_000,
  ContainerCannotStart: 60_000,
  ServiceAccountNotFound: 5_000,
  Forbidden: 5_000,
  AdmissionRefused: 15_000,
  QuotaExceeded: 300_000,
  Unschedulable: 300_000,
  NameTaken: 60_000,
  RunnerLost: 120_000,
  RunnerFailing: 120_000,
  RunnerRefused: 60_000,
  RunnerUnable: 0,
} as const satisfies Readonly<Record<string, number>>;
export type StartProblemReason = keyof typeof START_PATIENCE_MS;

/** Waiting reasons of a container (kubelet) by what they mean for a run. */
const WAITING_REASONS: Readonly<Record<string, StartProblemReason>> = {
  ErrImagePull: 'ImagePullFailed',
  ImagePullBackOff: 'ImagePullFailed',
  RegistryUnavailable: 'ImagePullFailed',
  ImageInspectError: 'ImagePullFailed',
  SignatureValidationFailed: 'ImagePullFailed',
  ErrImageNeverPull: 'ImagePullFailed',
  InvalidImageName: 'ImageNameInvalid',
  CreateContainerConfigError: 'ContainerCannotStart',
  CreateContainerError: 'ContainerCannotStart',
  RunContainerError: 'ContainerCannotStart',
  PreCreateHookError: 'ContainerCannotStart',
  PreStartHookError: 'ContainerCannotStart',
};

/** Whether `reason` is one of those that have a patience. */
export function isStartProblemReason(reason: string | undefined): reason is StartProblemReason {
  return reason !== undefined && Object.hasOwn(START_PATIENCE_MS, reason);
}

/**
 * What keeps a pod from starting, or undefined while it may simply need a moment. Only what the kubelet or the scheduler
 * has said counts: a container that is being created is no problem. Pure.
 */
export function podStartProblem(pod: Pod): PodStartProblem | undefined {
  const { status } = pod;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { name, image, state } of containers) {
    const waiting = state?.waiting;
    const reason = WAITING_REASONS[waiting?.reason ?? ''];
    if (waiting === undefined || reason === undefined) continue;
    const said = waiting.message === undefined ? '' : `: ${waiting.message}`;
    return {
      reason,
      message: `container ${name} of pod ${pod.metadata.name} (image ${image}) is waiting with ${waiting.reason}${said}`,
    };
  }
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    const said = scheduled.message === undefined ? '' : `: ${scheduled.message}`;
    return { reason: 'Unschedulable', message: `pod ${pod.metadata.name} finds no node${said}` };
  }
  return undefined;
}

/** How far a pod has got, as a sentence for people: what keeps it from starting where that is known, else its phase and node. Pure. */
export function howFar(pod: Pod): string {
  const problem = podStartProblem(pod);
  if (problem !== undefined) return problem.message;
  const node = pod.spec?.nodeName;
  return node === undefined
    ? 'it has no node yet'
    : `it is ${pod.status?.phase ?? 'Pending'} on node ${node}`;
}

/** What an API server's refusal of a pod or Job looks like: the fields of its Status that matter here. */
interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/**
 * What the refusal to create a pod or a Job means, or undefined when it says nothing about the object (the server is
 * overloaded, a conflict): then the caller simply tries again. Pure; the texts are those of the admission plugins
 * ServiceAccount and ResourceQuota and of admission webhooks.
 */
export function classifyRefusal(refusal: Refusal): StartProblemReason | undefined {
  const { code, message } = refusal;
  if (/service ?account.*not found/i.test(message)) return 'ServiceAccountNotFound';
  if (/exceeded quota|failed quota/i.test(message)) return 'QuotaExceeded';
  if (/admission webhook/i.test(message)) return 'AdmissionRefused';
  if (code === 403) return 'Forbidden';
  if (code === 400 || code === 422) return 'SpecInvalid';
  return undefined;
}
