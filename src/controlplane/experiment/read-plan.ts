import { AnswerReader } from '../infra/live/read-answer.ts';
import type { ManifestPlan, PlannedExperiment } from '../schema/generated/types.ts';

/** Reads an agent's plan. Fields of another form, from an agent of another version, are empty. Pure. */
export function readPlan(answer: Readonly<Record<string, unknown>>): ManifestPlan {
  const plan = new AnswerReader(answer);
  return {
    wouldRun: plan.is('wouldRun'),
    findings: plan.list('findings', (one) => ({
      severity: one.word('severity', ['Note', 'Problem', 'Doubt', 'Warning']),
      code: one.textOrNull('code'),
      text: one.text('text'),
      advice: one.textOrNull('advice'),
      object: one.textOrNull('object'),
      field: one.textOrNull('field'),
    })),
    experiments: plan.list('experiments', readExperiment),
    permissionsChecked: plan.count('permissionsChecked'),
    permissionsMissing: plan.list('permissionsMissing', (one) => ({
      account: one.text('account'),
      verb: one.text('verb'),
      group: one.text('group'),
      resource: one.text('resource'),
      namespace: one.text('namespace'),
    })),
    leftOut: plan.count('leftOut'),
  };
}

function readExperiment(one: AnswerReader): PlannedExperiment {
  return {
    engine: one.text('engine'),
    namespace: one.text('namespace'),
    step: one.textOrNull('step'),
    experiment: one.text('experiment'),
    fault: one.text('fault'),
    startsAtSeconds: one.number('startsAtSeconds'),
    durationSeconds: one.number('durationSeconds'),
    expectedSeconds: one.number('expectedSeconds'),
    intervalSeconds: one.numbersOrNull('intervalSeconds'),
    rounds: one.count('rounds'),
    sequence: one.text('sequence'),
    targets: one.list('targets', (target) => ({
      kind: target.text('kind'),
      namespace: target.text('namespace'),
      name: target.text('name'),
      node: target.textOrNull('node'),
      container: target.textOrNull('container'),
    })),
    targetCount: one.count('targetCount'),
    workloads: one.list('workloads', (workload) => ({
      kind: workload.text('kind'),
      namespace: workload.text('namespace'),
      name: workload.text('name'),
      hit: workload.countOrNull('hit'),
      of: workload.countOrNull('of'),
      percent: workload.countOrNull('percent'),
      isThere: workload.is('isThere'),
    })),
    budgets: one.list('budgets', (budget) => ({
      namespace: budget.text('namespace'),
      name: budget.text('name'),
      hitAtOnce: budget.count('hitAtOnce'),
      allowed: budget.count('allowed'),
      violated: budget.is('violated'),
    })),
    nodes: { hit: one.of('nodes').texts('hit'), of: one.of('nodes').countOrNull('of') },
  };
}
