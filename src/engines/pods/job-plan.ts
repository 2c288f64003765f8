import { createHash } from 'node:crypto';
import type { EnvVar } from '@turnsole/kube/kinds/core';
import type {
  ChaosEngine,
  ChaosExperiment,
  CleanUpPolicy,
  EngineExperiment,
  ExperimentDefinition,
} from '../../api/index.ts';
import { composeExperimentEnv, type RunnerHandout } from '../../chaos/experiment-env.ts';
import { experimentImage } from '../../chaos/experiment-image.ts';
import { planSidecars } from '../../chaos/experiments/plan-sidecars.ts';
import { planVolumes, type VolumePlan } from '../../chaos/experiments/plan-volumes.ts';
import type { Item } from '../../chaos/experiments/run-order.ts';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import type { OwnImage } from '../../chaos/own-image.ts';
import { resultNameOf } from '../../chaos/result-name.ts';
import { iterationRunId } from '../../chaos/run-id.ts';
import { childTraceParent, runnerSpanId } from '../../chaos/run-trace.ts';
import type { SidecarPlan } from '../../chaos/sidecars.ts';

/** What a runner is told by its environment, as far as its Jobs depend on it. */
export interface JobSettings extends RunnerHandout {
  /** Absent when an operator that knows no runs started this runner. */
  readonly runId?: string;
  /** Span that the run belongs to; empty where it belongs to none. */
  readonly traceParent: string;
  /** Images known to keep what Turnsole promises (src/chaos/known-images.ts). */
  readonly knownImages: readonly string[];
  /** Stands in for upstream's experiment image, when the operator knows of one. */
  readonly ownImage?: OwnImage | undefined;
}

/** Everything that is known of one experiment before its Job is made. */
export interface JobPlan {
  readonly name: string;
  /** Position of its entry in the engine's status. */
  readonly index: number;
  /** Id of the run, or of this iteration of it. */
  readonly runId: string;
  readonly engine: ChaosEngine;
  readonly definition: ExperimentDefinition;
  readonly entry: EngineExperiment;
  readonly settings: JobSettings;
  readonly jobName: string;
  readonly resultName: string;
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly env: readonly EnvVar[];
  readonly volumes: VolumePlan;
  readonly sidecars: readonly SidecarPlan[];
}

/** What {@link planJob} puts together. */
interface PlanInput {
  readonly engine: ChaosEngine;
  readonly experiment: ChaosExperiment;
  readonly item: Item;
  /** Position of its entry in the engine's status. */
  readonly index: number;
  readonly settings: JobSettings;
  /** Id of the run, whatever the iteration. */
  readonly runId: string;
}

/**
 * Puts together what the ChaosExperiment defines and what the engine's entry changes of it. Pure.
 *
 * @throws SkipError that names the field when something does not fit
 */
export function planJob(input: PlanInput): JobPlan {
  const { engine, experiment, item, index, settings } = input;
  const { position } = item;
  const name = experiment.metadata.name;
  const runId = iterationRunId(input.runId, item.iteration);
  const entry = entryOf(engine, name, position);
  const definition: ExperimentDefinition | undefined = experiment.spec?.definition;
  if (definition === undefined || definition === null) {
    throw new SkipError('ExperimentNotFound', `ChaosExperiment ${name}: spec.definition: Required value`);
  }
  const chosen = experimentImage(definition, entry, settings.ownImage);
  if (chosen === undefined) {
    throw new SkipError(
      'ExperimentDependencyCheck',
      `ChaosExperiment ${name}: spec.definition.image: Required value; or set experimentImage in the engine`,
    );
  }
  const { image, pullPolicy } = chosen;
  const jobName = jobNameOf(name, position, runId);
  const { variables: env, problems } = composeExperimentEnv({
    engine,
    name,
    definition,
    entry,
    position,
    handout: settings,
    pullPolicy,
    runId,
    traceParent: childTraceParent(settings.traceParent, {
      runId: settings.runId,
      otel: settings.otel,
      spanId: () => runnerSpanId(settings.runId ?? ''),
    }),
  });
  if (problems.length > 0) throw new SkipError('EnvParseError', problems.join('; '));
  const volumes = planVolumes(definition, entry, {
    experiment: name,
    entry: `spec.experiments[${position}].spec.components`,
  });
  return {
    name,
    index,
    runId,
    engine,
    definition,
    entry,
    settings,
    jobName,
    resultName: resultNameOf({
      engine: engine.metadata.name,
      experiment: name,
      instanceId: env.find((variable) => variable.name === 'INSTANCE_ID')?.value,
    }),
    image,
    imagePullPolicy: pullPolicy,
    env,
    volumes,
    sidecars: planSidecars(engine, jobName),
  };
}

/** What the engine wants of ended Jobs; retain unless it says delete. */
export function cleanUpPolicyOf({ spec }: Pick<ChaosEngine, 'spec'>): CleanUpPolicy {
  return spec.jobCleanUpPolicy === 'delete' ? 'delete' : 'retain';
}

/** The entry at this position, or the first of that name: an older operator may have passed another order. */
function entryOf(engine: ChaosEngine, name: string, index: number): EngineExperiment {
  const atIndex = engine.spec.experiments[index];
  if (atIndex?.name === name) return atIndex;
  return engine.spec.experiments.find((entry) => entry.name === name) ?? { name };
}

/**
 * `<experiment>-<6 characters>`, as upstream names its Jobs. The characters look random and are not: they follow from the
 * run, so that a restarted runner finds the Job it made before instead of making a second one.
 */
export function jobNameOf(experiment: string, position: number, runId: string): string {
  const digest = createHash('sha256').update(`${runId}\n${position}\n${experiment}`).digest();
  const suffix = digest.readUIntBE(0, 6).toString(36).padStart(6, '0').slice(-6);
  // Also the name of a container, hence a DNS label: no dots, at most 63 characters.
  const stem = experiment.replaceAll('.', '-').slice(0, 56).replace(/-+$/, '');
  return `${stem}-${suffix}`;
}
