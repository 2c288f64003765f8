import { systemClock } from '@turnsole/kube/base/clock';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, PolicyRule } from '@turnsole/kube/kinds/core';
import {
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosExperiment,
  type EngineExperiment,
} from '../../api/index.ts';
import { RUNNER_NEEDS } from '../../chaos/permissions/runner.ts';
import type { AccessAsker } from '../../experiment/plan/access-asker.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import type { LocalNode } from '../../experiment/plan/node-obstacles.ts';
import { planExperiment } from '../../experiment/plan/plan-experiment.ts';
import { faultRegistry } from '../../faults/index.ts';
import type { InputProblem } from '../errors.ts';
import { namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import { type Dependency, experimentDependencies, faultDependencies } from './dependencies.ts';
import { experimentProblem, planProblems } from './engine-problems.ts';
import { describeMissing, type FoundDependency, findDependencies } from './find-dependencies.ts';
import type { InstalledOperator } from './installed-operator.ts';
import { experimentOf } from './obstacles.ts';
import type { PreflightOptions } from './preflight-options.ts';
import { experimentTrials, type TrialPod } from './trial-pods.ts';

/** Input of the plan of an engine's experiment. */
export interface EntryOptions extends PreflightOptions {
  readonly node: LocalNode | undefined;
  /** `Kind/namespace/name` of everything that the manifests will have made by then. */
  readonly planned: ReadonlySet<string>;
  readonly asker: AccessAsker;
  readonly operator: InstalledOperator;
}

/** Facts about one experiment of an engine. */
interface EntryPlan {
  readonly plan?: ExperimentPlan;
  readonly experiment?: ChaosExperiment;
  /** The pods that it would make. */
  readonly trials?: readonly TrialPod[];
  readonly dependencies: readonly FoundDependency[];
  readonly problems: readonly InputProblem[];
  readonly notSeen?: readonly string[];
}

/** Plans one experiment of an engine: its definition, settings, targets, permissions, and what its pods need. */
export async function planEntry(
  manifest: Manifest,
  engine: ChaosEngine,
  entry: EngineExperiment,
  index: number,
  options: EntryOptions,
): Promise<EntryPlan> {
  const { client, signal, node } = options;
  const { namespace = '' } = engine.metadata;
  const experiment =
    experimentOf(options.others ?? [], namespace, entry.name, options.namespace) ??
    (await experimentIn(client, namespace, entry.name, signal));
  if (experiment === 'not seen') {
    return { dependencies: [], problems: [], notSeen: [`ChaosExperiment ${namespace}/${entry.name}`] };
  }
  if (experiment === undefined) {
    return { dependencies: [], problems: [experimentProblem(manifest, namespace, entry.name, index)] };
  }
  const { needed, problems } = experimentDependencies(engine, experiment, entry, index);
  const [judged, found] = await Promise.all([
    planExperiment({
      client,
      engine,
      experiment,
      engineExperiment: entry,
      registry: faultRegistry,
      clock: systemClock,
      random: Math.random,
      signal,
      asker: options.asker,
      furtherPermissions: runnerNeeds(needed),
      operator: options.operator,
      withImpact: options.withImpact ?? false,
      workloadsToBe: workloadsToBe(options),
      localNode: node,
    }),
    lookFor(manifest, needed, options),
  ]);
  const { plan, notSeen } = withoutUnseen(judged);
  const fault = await faultRegistry.get(plan.fault)?.();
  const ofFault = await lookFor(manifest, faultDependencies(plan.dependencies, namespace, index), options);
  return {
    plan,
    experiment,
    trials: experimentTrials({ engine, experiment, entry, plan, fault, operator: options.operator }),
    notSeen,
    dependencies: [...found.dependencies, ...ofFault.dependencies],
    problems: [
      ...planProblems(manifest, engine, plan, index),
      ...problems.map((message) => ({
        ...placeOf(manifest, 'spec', 'experiments', index),
        code: 'FIELD_INVALID' as const,
        message,
      })),
      ...found.problems,
      ...ofFault.problems,
    ],
  };
}

/**
 * Takes out of a plan the problems that only say that the planning user may not read something: the run's own service account may be
 * allowed to. They are listed as not seen.
 */
function withoutUnseen(plan: ExperimentPlan): {
  readonly plan: ExperimentPlan;
  readonly notSeen: readonly string[];
} {
  const [unseen, problems] = [true, false].map((is) =>
    plan.problems.filter(({ mayNotLook = false }) => mayNotLook === is),
  );
  return {
    plan: { ...plan, problems: problems ?? [] },
    notSeen: (unseen ?? []).map(({ message }) => `targets of ${plan.experiment}: ${message}`),
  };
}

async function experimentIn(
  client: KubeClient,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ChaosExperiment | 'not seen' | undefined> {
  try {
    return await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, name, { namespace, signal });
  } catch (error) {
    if (isForbidden(error)) return 'not seen';
    throw error;
  }
}

/** The runner looks for the config maps that it mounts. */
function runnerNeeds(needed: readonly Dependency[]): readonly PolicyRule[] {
  const mountsConfigMaps = needed.some(({ kind, key }) => kind === 'ConfigMap' && key === undefined);
  const reading = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  return mountsConfigMaps ? [...RUNNER_NEEDS, reading] : RUNNER_NEEDS;
}

/** Looks for the objects that pods need; a missing one is a problem at the field that names it. */
export async function lookFor(
  manifest: Manifest,
  needed: readonly Dependency[],
  { client, signal, planned, embedded, operator, node }: EntryOptions,
): Promise<{ dependencies: readonly FoundDependency[]; problems: readonly InputProblem[] }> {
  const dependencies = await findDependencies(needed, {
    client,
    signal,
    planned,
    operator,
    hasStandIns: node !== undefined,
    ...(embedded === undefined ? {} : { placeOfImage: (image) => embedded.placeOfImage(image) }),
  });
  const problems = dependencies
    .filter(({ state }) => state === 'missing')
    .map((one) => ({
      ...placeOf(manifest, ...pathOf(one.field)),
      field: one.field,
      code: 'DEPENDENCY_MISSING' as const,
      message: describeMissing(one),
    }));
  return { dependencies, problems };
}

/** `spec.experiments[0].name` as the path of a node. Paths into other objects lead to the engine as a whole. */
function pathOf(field: string): (string | number)[] {
  if (!field.startsWith('spec.')) return [];
  return field
    .split(/[.[\]]+/)
    .flatMap((part) => (part === '' ? [] : /^\d+$/.test(part) ? Number(part) : part));
}

/** The workloads of manifests that are not applied yet. The embedded cluster of this process has them already. */
function workloadsToBe({ others = [], namespace, embedded }: PreflightOptions): KubeObject[] {
  if (embedded !== undefined) return [];
  return others.map(({ object, ...rest }) => {
    const { uid: _, ...metadata } = object.metadata;
    return { ...object, metadata: { ...metadata, namespace: namespaceOf({ object, ...rest }, namespace) } };
  });
}
