import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import type { ReadManifests } from '../manifests/read.ts';
import { clusterLibrary } from '../workflows/cluster-library.ts';
import { planInnerEngines } from './inner-engines.ts';
import { type EnginePlan, planEngines } from './preflight.ts';
import type { PreflightOptions } from './preflight-options.ts';
import { type CheckedWorkflowPlan, planWorkflows } from './workflow-plans.ts';

/** The plans of manifests. */
interface FoundPlans {
  /** Of the engines, those that workflows make last. */
  readonly plans: EnginePlan[];
  /** Of the workflows. */
  readonly inside: CheckedWorkflowPlan[];
}

/** What the engines and workflows of manifests would do in a cluster that nothing of them is in yet, their impact included. */
export async function planFound(
  { engines, workflows, others }: Pick<ReadManifests, 'engines' | 'workflows' | 'others'>,
  options: Omit<PreflightOptions, 'others' | 'withImpact'>,
): Promise<FoundPlans> {
  const { namespace } = options;
  const library = workflows.length === 0 ? NO_TEMPLATES : await clusterLibrary(options);
  const inside = planWorkflows(workflows, { others, namespace, library });
  const looked = { ...options, others, withImpact: true };
  const [plans, ofWorkflows] = await Promise.all([
    planEngines(engines, looked),
    planInnerEngines(inside, looked),
  ]);
  return { plans: [...plans, ...ofWorkflows], inside };
}
