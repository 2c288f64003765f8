import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '@turnsole/kube/schema/field-error';
import { validateAnnotations, validateLabels, validateObjectMeta } from '@turnsole/kube/schema/object-meta';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { labelValueProblems, subdomainProblems } from '@turnsole/kube/text/names';
import { MAX_STEPS } from '../max-steps.ts';
import type {
  ChaosEngine,
  ChaosEngineSpec,
  EngineExperiment,
  RunnerComponent,
  Sidecar,
} from '../schema/engine.ts';
import { validateDependencies } from './dependencies.ts';
import {
  validateEnv,
  validateImage,
  validateMounts,
  validateNodeSelector,
  validateResources,
  validateServiceAccountName,
  validateTolerations,
} from './pod-parts.ts';
import { validateProbes } from './probe.ts';
import { validateAppInfo, validateAuxiliaryAppInfo, validateSelectors } from './targets.ts';
import { validateDuration } from './validate-duration.ts';

type Path = readonly PathSegment[];

const MOUNT_FIELDS = ['name', 'mountPath'];

/**
 * All problems of an engine that its structure cannot show: whatever would make the operator, the runner, an experiment
 * or Kubernetes refuse it later. The value has passed the structural check.
 */
export function validateEngine(engine: ChaosEngine): FieldError[] {
  return [
    ...validateObjectMeta(engine.metadata, ['metadata'], engineNameProblems),
    ...validateEngineSpec(engine.spec, ['spec']),
  ];
}

/** The engine's name is also the value of the label `app` of its pods, so it may not be longer than a label value. */
function engineNameProblems(name: string): string[] {
  const problems = subdomainProblems(name);
  if (problems.length > 0) return problems;
  return labelValueProblems(name).map(
    (problem) => `${problem}, because it is the label app of the runner pod`,
  );
}

/** All problems of the spec of an engine; also for the template of a schedule. */
export function validateEngineSpec(spec: ChaosEngineSpec, path: Path): FieldError[] {
  const { components, execution, annotationCheck } = spec;
  const errors = [
    ...validateAppInfo(spec.appinfo, [...path, 'appinfo']),
    ...validateSelectors(spec.selectors, [...path, 'selectors']),
    ...validateAuxiliaryAppInfo(spec.auxiliaryAppInfo, [...path, 'auxiliaryAppInfo']),
    ...validateServiceAccountName(spec.chaosServiceAccount, [...path, 'chaosServiceAccount']),
    ...validateRunner(components?.runner, [...path, 'components', 'runner']),
    ...validateImage(components?.monitor?.image, [...path, 'components', 'monitor', 'image'], false),
    ...(components?.sidecar ?? []).flatMap((sidecar, index) =>
      validateSidecar(sidecar, [...path, 'components', 'sidecar', index]),
    ),
    ...validateExperiments(spec.experiments, [...path, 'experiments']),
    ...validateIterations(spec, [...path, 'execution', 'iterations']),
    ...validateDuration(execution?.minInterval, [...path, 'execution', 'minInterval']),
  ];
  if (annotationCheck !== undefined && !['', 'true', 'false'].includes(annotationCheck)) {
    errors.push(notSupported([...path, 'annotationCheck'], annotationCheck, ['true', 'false']));
  }
  return errors;
}

/** Limits iterations times experiments: each is an entry of the status, and a plan visits all of them. */
function validateIterations({ execution, experiments }: ChaosEngineSpec, path: Path): FieldError[] {
  const iterations = execution?.iterations ?? 1;
  if (iterations <= 1 || iterations * experiments.length <= MAX_STEPS) return [];
  const problem = `${iterations} times ${experiments.length} experiments are more than the ${MAX_STEPS} that one engine may start`;
  return [invalid(path, iterations, problem)];
}

function validateRunner(runner: RunnerComponent | null | undefined, path: Path): FieldError[] {
  if (runner === undefined || runner === null) return [];
  return [
    ...validateImage(runner.image, [...path, 'image'], false),
    ...validateAnnotations(runner.runnerAnnotations, [...path, 'runnerAnnotations']),
    ...validateLabels(runner.runnerLabels, [...path, 'runnerLabels']),
    ...validateNodeSelector(runner.nodeSelector, [...path, 'nodeSelector']),
    ...validateMounts([
      { path: [...path, 'configMaps'], mounts: runner.configMaps, fields: MOUNT_FIELDS },
      { path: [...path, 'secrets'], mounts: runner.secrets, fields: MOUNT_FIELDS },
    ]),
    ...validateTolerations(runner.tolerations, [...path, 'tolerations']),
    ...validateResources(runner.resources, [...path, 'resources']),
  ];
}

function validateSidecar(sidecar: Sidecar, path: Path): FieldError[] {
  return [
    ...validateImage(sidecar.image, [...path, 'image'], true),
    ...validateMounts([{ path: [...path, 'secrets'], mounts: sidecar.secrets, fields: MOUNT_FIELDS }]),
    ...validateEnv(sidecar.env, [...path, 'env']),
  ];
}

function validateExperiments(experiments: readonly EngineExperiment[], path: Path): FieldError[] {
  const errors: FieldError[] = [];
  if (experiments.length === 0)
    errors.push(required(path, 'at least one experiment; without one nothing is run'));
  const seen = new Set<string>();
  for (const [index, { name, spec }] of experiments.entries()) {
    const here = [...path, index];
    errors.push(...subdomainProblems(name).map((problem) => invalid([...here, 'name'], name, problem)));
    if (seen.has(name)) {
      errors.push(
        duplicate([...here, 'name'], name, 'settings, probes and results of an experiment go by its name'),
      );
    }
    seen.add(name);
    errors.push(...validateComponents(spec?.components, [...here, 'spec', 'components']));
    errors.push(...validateProbes(spec?.probe, [...here, 'spec', 'probe']));
  }
  return [...errors, ...validateDependencies(experiments, path)];
}

type Components = NonNullable<NonNullable<EngineExperiment['spec']>['components']>;

function validateComponents(components: Components | null | undefined, path: Path): FieldError[] {
  if (components === undefined || components === null) return [];
  return [
    ...validateEnv(components.env, [...path, 'env']),
    ...validateMounts([
      { path: [...path, 'configMaps'], mounts: components.configMaps, fields: MOUNT_FIELDS },
      { path: [...path, 'secrets'], mounts: components.secrets, fields: MOUNT_FIELDS },
    ]),
    ...validateAnnotations(components.experimentAnnotations, [...path, 'experimentAnnotations']),
    ...validateImage(components.experimentImage, [...path, 'experimentImage'], false),
    ...validateNodeSelector(components.nodeSelector, [...path, 'nodeSelector']),
    ...validateResources(components.resources, [...path, 'resources']),
    ...validateTolerations(components.tolerations, [...path, 'tolerations']),
  ];
}
