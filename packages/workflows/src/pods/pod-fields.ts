import type { PodSpec } from '@turnsole/kube/kinds/core';
import type { CreatePod } from '../engine/change.ts';
import type { Template } from '../kinds/template.ts';
import { PodError } from './pod-error.ts';
import type { SpecOfPods } from './spec-with-names.ts';

/** Fields of a pod's spec that workflow and template give: the template's word counts before the workflow's. */
export function givenFields(spec: SpecOfPods, template: Template): Omit<PodSpec, 'containers'> {
  const hostAliases = [...(spec.hostAliases ?? []), ...(template.hostAliases ?? [])];
  return {
    serviceAccountName: template.serviceAccountName ?? spec.serviceAccountName,
    automountServiceAccountToken: template.automountServiceAccountToken ?? spec.automountServiceAccountToken,
    securityContext: template.securityContext ?? spec.securityContext,
    imagePullSecrets: spec.imagePullSecrets,
    schedulerName: template.schedulerName ?? spec.schedulerName,
    priorityClassName: template.priorityClassName ?? spec.podPriorityClassName,
    hostNetwork: spec.hostNetwork,
    dnsPolicy: spec.dnsPolicy,
    dnsConfig: spec.dnsConfig,
    ...(hostAliases.length > 0 && { hostAliases }),
    ...newFields(template.podResources ?? spec.podResources, template.resourceClaims ?? spec.resourceClaims),
  };
}

/** Fields that the types of pods do not know yet. */
function newFields(resources: unknown, resourceClaims: unknown): object {
  return {
    ...(resources !== undefined && { resources }),
    ...(resourceClaims !== undefined && { resourceClaims }),
  };
}

/** The earlier of the template's limit and the time that is left; a pod cannot have less than a second. @throws PodError */
export function deadlineSeconds({ template, deadline }: CreatePod, now: number): number | undefined {
  const limits: number[] = [];
  if (template.activeDeadlineSeconds !== undefined) limits.push(Number(template.activeDeadlineSeconds));
  if (deadline !== undefined) limits.push(Math.ceil((deadline - now) / 1000));
  if (limits.some((limit) => Number.isNaN(limit)))
    throw new PodError(
      `activeDeadlineSeconds: ${JSON.stringify(template.activeDeadlineSeconds)} is no number`,
    );
  return limits.length === 0 ? undefined : Math.max(1, Math.min(...limits));
}
