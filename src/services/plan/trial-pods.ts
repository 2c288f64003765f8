/** The pods of a run as its operator, its runner and its experiments would make them, to ask a cluster whether it takes them. */
import type { Pod, PodSpec } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import { handoutOf } from '../../chaos/experiment-env.ts';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import { buildExperimentJob } from '../../engines/pods/experiment-job.ts';
import { planJob } from '../../engines/pods/job-plan.ts';
import { buildRunnerPod } from '../../engines/pods/runner-pod.ts';
import type { Fault } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { experimentEnvironment, positionOf } from '../../experiment/plan/experiment-env.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import { helperPod } from '../../experiment/run/helper/helper-pod.ts';
import type { InstalledOperator } from './installed-operator.ts';

/** A pod that a run makes. */
export interface TrialPod {
  readonly of: 'runner' | 'experiment' | 'helper';
  /** Name of the experiment; absent for the runner, which is of the engine. */
  readonly experiment?: string;
  readonly pod: Pod;
}

/** Stands for the id that is drawn when a run begins. */
const RUN_ID = 'planned';

/** The runner of an engine. Pure. */
export function runnerTrial(
  engine: ChaosEngine,
  first: ChaosExperiment | undefined,
  operator: InstalledOperator,
): TrialPod {
  const { metadata, spec } = engine;
  const asked = { metadata: { ...metadata, uid: RUN_ID }, spec };
  const { ownImage, runnerImage, knownImages } = operator;
  const pod = buildRunnerPod(asked, first, { ...operator, image: runnerImage, ownImage, knownImages });
  return { of: 'runner', pod: withoutOwners(pod.metadata, pod.spec) };
}

/** What the trial pods of an experiment depend on. */
interface EntryInput {
  readonly engine: ChaosEngine;
  readonly experiment: ChaosExperiment;
  readonly entry: EngineExperiment;
  readonly plan: ExperimentPlan;
  /** Undefined where no fault has that name. */
  readonly fault: Fault | undefined;
  readonly operator: InstalledOperator;
}

/** The pod of an experiment, and one helper where its fault has helpers: all of one run are made alike. Pure. */
export function experimentTrials({
  engine: asked,
  experiment,
  entry,
  plan,
  fault,
  operator,
}: EntryInput): TrialPod[] {
  const engine = { ...asked, metadata: { ...asked.metadata, uid: RUN_ID } };
  const position = positionOf(engine, entry);
  const { name } = entry;
  const settings = {
    ...handoutOf(engine, operator),
    traceParent: '',
    knownImages: operator.knownImages,
    ownImage: operator.ownImage,
  };
  const item = { name, position, iteration: 1 };
  const template = templateOf(() =>
    buildExperimentJob(planJob({ engine, experiment, item, index: position, settings, runId: RUN_ID })),
  );
  if (template === undefined) return [];
  const pod = withoutOwners({ ...template.metadata, name: `${name}-${RUN_ID}` }, template.spec);
  const helper =
    fault === undefined ? undefined : helperTrial({ engine, experiment, entry, plan, fault, operator }, pod);
  return [
    { of: 'experiment', experiment: name, pod },
    ...(helper === undefined ? [] : [{ of: 'helper', experiment: name, pod: helper } as const]),
  ];
}

/** The template of a Job; undefined where the runner would skip the experiment, which is reported on its own. */
function templateOf(build: () => ReturnType<typeof buildExperimentJob>) {
  try {
    return build().spec?.template;
  } catch (error) {
    if (error instanceof SkipError) return undefined;
    throw error;
  }
}

function helperTrial(
  { engine, experiment, entry, plan, fault, operator }: EntryInput & { readonly fault: Fault },
  pod: Pod,
): Pod | undefined {
  if (fault.where !== 'node') return undefined;
  const { env } = experimentEnvironment(engine, experiment, entry, operator);
  const { settings, problems } = compileSettings(fault, env, () => 0);
  if (problems.length > 0) return undefined;
  const node = plan.targets[0]?.node ?? '';
  const made = helperPod({
    fault,
    settings,
    env,
    pod,
    engine,
    node,
    assignment: {
      version: 1,
      fault: fault.name,
      runId: RUN_ID,
      result: RUN_ID,
      experiment: entry.name,
      targets: plan.targets.filter((target) => target.node === node || node === ''),
    },
    suffix: RUN_ID,
  });
  const { nodeName, ...spec } = made.spec ?? { containers: [] };
  return withoutOwners(
    made.metadata,
    nodeName === '' || nodeName === undefined ? spec : { ...spec, nodeName },
  );
}

/** Owners would have to exist. */
function withoutOwners(
  { ownerReferences: _, ...metadata }: Omit<Pod['metadata'], 'name'> & { readonly name?: string },
  spec: PodSpec | undefined,
): Pod {
  const { name = RUN_ID } = metadata;
  return { metadata: { ...metadata, name: `${name}-plan` }, ...(spec && { spec }) };
}
