import type { ContainerStatus, Job, Pod } from '@turnsole/kube/kinds/core';

type Policy = NonNullable<NonNullable<Job['spec']>['podFailurePolicy']>;
type Rule = Policy['rules'][number];

/** What a job's pod failure policy says about one failed pod. */
interface FailureJudgement {
  /** Present when the whole job has to fail: why. */
  readonly failJob?: string;
  /** Whether the failure counts towards the back-off limit. */
  readonly counts: boolean;
  /** Present when the index of the pod has failed, however often it may still be tried. */
  readonly failIndex?: true;
}

/** The first rule that matches decides; without one a failure counts. */
export function judgeFailure(policy: Policy | undefined, pod: Pod): FailureJudgement {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const found = matchRule(rule, pod);
    if (found === undefined) continue;
    if (rule.action === 'Ignore') return { counts: false };
    if (rule.action === 'FailIndex') return { counts: true, failIndex: true };
    if (rule.action === 'Count') return { counts: true };
    if (rule.action === 'FailJob') {
      return { counts: true, failJob: `${found} matching FailJob rule at index ${index}` };
    }
  }
  return { counts: true };
}

function matchRule(rule: Rule, pod: Pod): string | undefined {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  if (rule.onExitCodes !== undefined) {
    const { onExitCodes } = rule;
    const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    const status = statuses.find((candidate) => matchesExitCode(onExitCodes, candidate));
    if (status === undefined) return undefined;
    return `Container ${status.name} for pod ${name} failed with exit code ${status.state?.terminated?.exitCode}`;
  }
  const condition = (pod.status?.conditions ?? []).find((candidate) =>
    (rule.onPodConditions ?? []).some(
      (pattern) => pattern.type === candidate.type && (pattern.status ?? 'True') === candidate.status,
    ),
  );
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`;
}

function matchesExitCode(requirement: NonNullable<Rule['onExitCodes']>, status: ContainerStatus): boolean {
  const exitCode = status.state?.terminated?.exitCode;
  if (exitCode === undefined || exitCode === 0) return false;
  if (requirement.containerName !== undefined && requirement.containerName !== status.name) return false;
  if (requirement.operator === 'In') return requirement.values.includes(exitCode);
  return requirement.operator === 'NotIn' && !requirement.values.includes(exitCode);
}
