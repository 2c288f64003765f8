/** Functions whose code is loaded when they are called: an experiment needs neither a helper nor a plan, a helper no experiment. */
import type { FaultRegistry } from './fault.ts';
import type { ProcessIo } from './main/process-io.ts';
import type { ExperimentPlan, PlanExperimentInput } from './plan/plan-experiment.ts';
import type { ExperimentInput, ExperimentOutcome } from './run-experiment.ts';
import type { Environment } from './settings/parse-tunables.ts';

/** See {@link import('./plan/plan-experiment.ts').planExperiment}. */
export async function planExperiment(input: PlanExperimentInput): Promise<ExperimentPlan> {
  const module = await import('./plan/plan-experiment.ts');
  return module.planExperiment(input);
}

/** See {@link import('./run-experiment.ts').runExperiment}. */
export async function runExperiment(input: ExperimentInput): Promise<ExperimentOutcome> {
  const module = await import('./run-experiment.ts');
  return module.runExperiment(input);
}

/** See {@link import('./main/experiment-main.ts').runExperimentMain}. */
export async function runExperimentMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io?: ProcessIo,
): Promise<number> {
  const module = await import('./main/experiment-main.ts');
  return module.runExperimentMain(argv, env, registry, io);
}

/** See {@link import('./main/helper-main.ts').runHelperMain}. */
export async function runHelperMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io?: ProcessIo,
): Promise<number> {
  const module = await import('./main/helper-main.ts');
  return module.runHelperMain(argv, env, registry, io);
}
