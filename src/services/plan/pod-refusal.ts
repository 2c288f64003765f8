import { ApiError } from '@turnsole/kube/client/errors';
import { isOfPodSecurity } from '@turnsole/kube/kinds/restricted-pod';
import type { TrialPod } from './trial-pods.ts';

/**
 * What an error says of a pod that was to be made as a dry run. `refused`: the cluster's admission would not have it. `may not`: whoever
 * asks has not the right to make pods, which says nothing of those who will. `unknown`: nothing is known. Pure.
 */
export type PodAnswer =
  | {
      readonly kind: 'refused';
      readonly by: 'Pod Security' | 'a quota' | 'admission';
      readonly message: string;
    }
  | { readonly kind: 'may not' | 'unknown' };

/** Judges the answer to a dry run. Pure. */
export function podAnswer(error: unknown): PodAnswer {
  if (!(error instanceof ApiError)) return { kind: 'unknown' };
  const { code } = error;
  const message = error.status.message ?? error.message;
  if (code === 403 && /\bcannot create resource\b/.test(message)) return { kind: 'may not' };
  // Webhooks that have effects are not asked in a dry run: the server then refuses it whatever they would say.
  if (/does not support dry run/.test(message)) return { kind: 'unknown' };
  if (isOfPodSecurity(message)) return { kind: 'refused', by: 'Pod Security', message };
  if (/\b(exceeded|failed) quota\b/.test(message)) return { kind: 'refused', by: 'a quota', message };
  // Admission answers 403, policies and webhooks also 400 and 422; what else there is speaks of this request, not of the pod.
  return code === 403 || code === 400 || code === 422
    ? { kind: 'refused', by: 'admission', message }
    : { kind: 'unknown' };
}

/** The sentence about a refused pod, with what to do. Pure. */
export function refusalText(
  { of, experiment, pod }: TrialPod,
  namespace: string,
  { by, message }: Extract<PodAnswer, { kind: 'refused' }>,
): string {
  const what =
    of === 'runner'
      ? 'the runner'
      : of === 'helper'
        ? `the helpers of ${experiment}`
        : `the pod of ${experiment}`;
  // The name is one that no pod has.
  const said = message.replaceAll(`-plan"`, '"');
  return `the cluster would refuse ${what} (dry run): ${said}; ${adviceFor(of, by, namespace, pod)}`;
}

function adviceFor(
  of: TrialPod['of'],
  by: 'Pod Security' | 'a quota' | 'admission',
  namespace: string,
  { spec }: TrialPod['pod'],
): string {
  if (by === 'a quota') return `raise the quota of namespace ${namespace}, or free what the run needs`;
  if (by === 'admission') return 'let the policy or the limit that the message names allow it';
  if (of === 'helper') {
    return (
      `the fault acts by pods with ${needsText(spec)}: allow them (kubectl label --overwrite namespace ${namespace} ` +
      'pod-security.kubernetes.io/enforce=privileged), or run the engine in a namespace that does, with the targets where they are ' +
      '(install --fault-scope cluster)'
    );
  }
  return (
    'only images of Turnsole get a security context of their own accord: write one in spec.definition.securityContext of the ' +
    'ChaosExperiment, and leave out what asks for more (hostPID, hostFileVolumes, sidecars)'
  );
}

/** What of a pod Pod Security has rules about. */
function needsText(spec: TrialPod['pod']['spec']): string {
  const containers = spec?.containers ?? [];
  const added = containers.flatMap(({ securityContext }) => securityContext?.capabilities?.add ?? []);
  const needs = [
    ...(spec?.hostPID === true ? ['hostPID'] : []),
    ...(containers.some(({ securityContext }) => securityContext?.privileged === true) ? ['privileged'] : []),
    ...(containers.some(({ securityContext }) => securityContext?.runAsUser === 0) ? ['the user root'] : []),
    ...(added.length === 0 ? [] : [`capabilities ${added.join(', ')}`]),
    ...((spec?.volumes ?? []).some(({ hostPath }) => hostPath !== undefined) ? ['hostPath'] : []),
  ];
  return needs.length === 0 ? 'no security context' : needs.join(', ');
}
