import type { ChaosEngine } from '../../api/index.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import { formatPermissions } from '../../experiment/plan/permissions.ts';
import type { PlanProblem } from '../../experiment/plan/settings-problems.ts';
import type { InputProblem } from '../errors.ts';
import { placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import type { RefusedPod } from './try-pods.ts';

const ACCOUNT_FIELD = 'spec.chaosServiceAccount';

/** The service account of an engine does not exist. Pure. */
export function accountProblem(
  manifest: Manifest,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): InputProblem {
  const message = `service account ${namespace}/${name} not found; create it with the permissions of the experiments`;
  return {
    ...placeOf(manifest, 'spec', 'chaosServiceAccount'),
    field: ACCOUNT_FIELD,
    code: 'ACCOUNT_MISSING',
    message,
  };
}

/** The namespace of an engine does not exist. Pure. */
export function namespaceProblem(manifest: Manifest, namespace: string): InputProblem {
  const message = `namespace ${namespace} does not exist in this cluster; create it with what the run needs, or name another one`;
  return {
    ...placeOf(manifest, 'metadata'),
    field: 'metadata.namespace',
    code: 'NAMESPACE_MISSING',
    message,
  };
}

/** The ChaosExperiment that an entry of an engine names does not exist. Pure. */
export function experimentProblem(
  manifest: Manifest,
  namespace: string,
  name: string,
  index: number,
): InputProblem {
  const message = `ChaosExperiment ${namespace}/${name} not found; apply it, or correct the name`;
  const field = `spec.experiments[${index}].name`;
  return {
    ...placeOf(manifest, 'spec', 'experiments', index, 'name'),
    field,
    code: 'EXPERIMENT_MISSING',
    message,
  };
}

/** The cluster would refuse a pod of the run. Pure. */
export function podProblem(
  manifest: Manifest,
  engine: ChaosEngine,
  { trial: { experiment }, message }: RefusedPod,
): InputProblem {
  const index = engine.spec.experiments.findIndex(({ name }) => name === experiment);
  if (index < 0) {
    return { ...placeOf(manifest, 'metadata'), field: 'metadata.namespace', code: 'POD_REFUSED', message };
  }
  const field = `spec.experiments[${index}]`;
  return { ...placeOf(manifest, 'spec', 'experiments', index), field, code: 'POD_REFUSED', message };
}

/** The problems of a plan, each at the field of the engine where it can be mended. Pure. */
export function planProblems(
  manifest: Manifest,
  engine: ChaosEngine,
  plan: ExperimentPlan,
  index: number,
): InputProblem[] {
  const problems = settingsProblems(
    manifest,
    engine,
    plan.problems.filter(({ code }) => code !== 'PERMISSION' && code !== 'NODE'),
    index,
  );
  const missing = plan.permissions.filter(({ allowed }) => allowed === false);
  if (missing.length === 0) return problems;
  const account = `${engine.metadata.namespace}/${engine.spec.chaosServiceAccount ?? 'default'}`;
  const message = `service account ${account} lacks permissions that ${plan.fault} needs: ${formatPermissions(missing)}`;
  return [
    ...problems,
    {
      ...placeOf(manifest, 'spec', 'chaosServiceAccount'),
      field: ACCOUNT_FIELD,
      code: 'PERMISSION',
      message,
    },
  ];
}

/** Problems of the settings of an entry, each at the field where it can be mended. Pure. */
export function settingsProblems(
  manifest: Manifest,
  engine: ChaosEngine,
  problems: readonly PlanProblem[],
  index: number,
): InputProblem[] {
  const entry = ['spec', 'experiments', index] as const;
  return problems.map(({ code, message }): InputProblem => {
    // Variables can narrow the targets too: a problem of such a variable is reported at the variable.
    if (code === 'TARGET_SELECTION_ERROR' && !names(engine, index).some((name) => message.includes(name))) {
      const part = engine.spec.selectors === undefined ? 'appinfo' : 'selectors';
      return { ...placeOf(manifest, 'spec', part), field: `spec.${part}`, code, message };
    }
    // Messages about probes begin with the field's path already.
    if (message.startsWith('spec.'))
      return { ...placeOf(manifest, ...entry, 'spec', 'probe'), code, message };
    const field = `spec.experiments[${index}].spec.components.env`;
    return { ...placeOf(manifest, ...entry, 'spec', 'components', 'env'), field, code, message };
  });
}

/** Variables that the engine's entry sets. */
function names(engine: ChaosEngine, index: number): string[] {
  return (engine.spec.experiments[index]?.spec?.components?.env ?? []).map(({ name }) => name);
}
