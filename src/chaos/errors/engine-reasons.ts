import type { REASON_HALTED } from '../halt.ts';
import type { StartProblemReason } from '../pod-start.ts';
import type { ErrorRow } from './row.ts';

/** Reasons of conditions that are False: what keeps the run of an engine from being carried out, or from being reverted. */
export const ENGINE_REASONS = {
  SpecInvalid: {
    means: 'the engine, or a pod made from it, breaks a rule of its kind',
    todo: 'the message names the field; correct it and set engineState to active again',
  },
  ServiceAccountNotFound: {
    means: 'the service account of the engine does not exist',
    todo: 'create it, or set spec.chaosServiceAccount',
  },
  Forbidden: {
    means: 'the operator or the runner may not do what the run needs',
    todo: 'give the account of the message the permissions that it lacks',
  },
  AdmissionRefused: {
    means: 'an admission webhook of the cluster refuses the pod',
    todo: 'the message has the words of the webhook; except the namespace of chaos from its policy, or obey it',
  },
  QuotaExceeded: {
    means: 'a ResourceQuota of the namespace leaves no room for the pod',
    todo: 'raise the quota, or wait until something ends; the run begins by itself',
  },
  Unschedulable: {
    means: 'no node takes the pod',
    todo: 'the message has the words of the scheduler: capacity, taints, selectors',
  },
  ImageNameInvalid: {
    means: 'the name of an image cannot be one',
    todo: 'correct it in the engine, in the ChaosExperiment, or where the operator is installed',
  },
  ImagePullFailed: {
    means: 'an image cannot be pulled',
    todo: 'check name, registry and imagePullSecrets',
  },
  ContainerCannotStart: {
    means: 'the kubelet cannot start the container',
    todo: 'the message has its words: a missing ConfigMap or Secret, a mount, a command',
  },
  NameTaken: {
    means: 'a pod or service that the operator has not made has the name that the engine needs',
    todo: 'remove it, or give the engine another name',
  },
  RunnerLost: {
    means: 'the runner pod is gone, or its node does not answer, and the run is not over',
    todo: 'see the node and its Events; what was injected is reverted',
  },
  RunnerFailing: {
    means: 'the runner ends with an error again and again',
    todo: 'read its log: `kubectl logs ENGINE-runner --previous`',
  },
  RunnerRefused: {
    means:
      'the API server refuses the service account of the run: it was deleted meanwhile, or has lost permissions',
    todo: 'restore the account or its permissions, which the message names, and run the engine again. Helpers revert by themselves what they injected',
  },
  RunnerUnable: {
    means: 'an image that is not known to obey would have to run what the engine asks for',
    todo: "leave the image out, so that Turnsole's own is used, or leave out what only Turnsole does",
  },
  Halted: {
    means: 'chaos is halted by `turnsole halt`; the engine begins when it is released',
    todo: '`turnsole resume`, when that is meant',
  },
  RecoveryRefused: {
    means: 'what a dead experiment left cannot be reverted, as its pod may not be made again',
    todo: 'the message says why; revert by hand what `status.ledger` of the result lists as open',
  },
  NotReverted: {
    means: 'something that was injected could not be reverted in time',
    todo: 'revert by hand what the message lists, then delete the engine',
  },
  MonitorRefused: {
    means: 'pod or service with the metrics of the engine could not be made; the run goes on without',
    todo: 'the message has the words of the API server',
  },
} as const satisfies Readonly<
  Record<
    StartProblemReason | typeof REASON_HALTED | 'RecoveryRefused' | 'NotReverted' | 'MonitorRefused',
    ErrorRow
  >
>;
export type EngineReason = keyof typeof ENGINE_REASONS;

/** Reasons of Events and conditions of a ChaosSchedule that makes no engine. */
export const SCHEDULE_REASONS = {
  InvalidSpec: {
    means: 'the schedule cannot be understood',
    todo: 'the message names the fields; nothing is started until they are corrected',
  },
  FailedNeedsStart: {
    means: 'the Event beside InvalidSpec, under the name of upstream',
    todo: 'see InvalidSpec',
  },
  FailedCreate: {
    means: 'an engine could not be created',
    todo: 'the message has the words of the API server; it is tried again',
  },
  MissEngine: {
    means: 'a time was passed over, because an engine of the schedule still runs',
    todo: 'shorten the run, widen the times, or set concurrencyPolicy to Allow or Replace',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
