import type { Manifest } from '../manifests/load.ts';
import type { WorkflowPlan } from '../workflows/inside/workflow-plan.ts';
import { type EnginePlan, planEngines } from './preflight.ts';
import type { PreflightOptions } from './preflight-options.ts';

/**
 * Plans the engines that steps of workflows bring along, as those of files. What speaks against one speaks as things are now, and is a
 * doubt and no refusal: an earlier step may install the application, or an account.
 */
export async function planInnerEngines(
  workflows: readonly WorkflowPlan[],
  options: PreflightOptions,
): Promise<EnginePlan[]> {
  const engines = workflows.flatMap((workflow) => workflow.engines);
  if (engines.length === 0) return [];
  const others: Manifest[] = [...(options.others ?? []), ...workflows.flatMap((workflow) => workflow.others)];
  const plans = await planEngines(engines, { ...options, others });
  return plans.map(({ problems, ...plan }) => ({ ...plan, problems: [], doubts: problems }));
}
