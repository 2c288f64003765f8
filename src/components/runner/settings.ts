import { splitList } from '@turnsole/kube/text/split-list';
import { knownImagesOf } from '../../chaos/known-images.ts';
import { ownImageOf } from '../../chaos/own-image.ts';
import type { JobSettings } from '../../engines/pods/job-plan.ts';
import { UsageError } from '../../process/usage-error.ts';
import { otelHandedOn } from '../../tracing/otel-variables.ts';

/** Settings from the runner pod's environment, under the names of the compatibility reference. */
export interface RunnerSettings extends JobSettings {
  readonly engine: string;
  /** Names of the experiments, in the order of the engine. */
  readonly experiments: readonly string[];
}

/** The environment lacks what the runner cannot do without. */
export class RunnerSettingsError extends UsageError {
  override readonly name = 'RunnerSettingsError';
  readonly variable: string;

  constructor(variable: string, expected: string) {
    super(`cannot start the runner: environment variable ${variable} is not set; it must be ${expected}`);
    this.variable = variable;
  }
}

/**
 * Reads the runner's settings.
 *
 * @throws RunnerSettingsError when CHAOSENGINE, CHAOS_NAMESPACE or EXPERIMENT_LIST is missing or empty
 */
export function readRunnerSettings(env: Readonly<Record<string, string | undefined>>): RunnerSettings {
  const required = (variable: string, expected: string): string => {
    const value = (env[variable] ?? '').trim();
    if (value === '') throw new RunnerSettingsError(variable, expected);
    return value;
  };
  const runId = env.RUN_ID ?? '';
  const ownImage = ownImageOf(env);
  const experiments = required('EXPERIMENT_LIST', 'the names of the experiments, separated by commas');
  return {
    engine: required('CHAOSENGINE', 'the name of the ChaosEngine'),
    namespace: required('CHAOS_NAMESPACE', 'the namespace of the ChaosEngine'),
    experiments: splitList(experiments),
    targets: env.TARGETS ?? '',
    serviceAccount: env.CHAOS_SVC_ACC ?? '',
    auxiliaryAppInfo: env.AUXILIARY_APPINFO ?? '',
    ...(runId === '' ? {} : { runId }),
    otel: otelHandedOn(env),
    traceParent: env.TRACE_PARENT ?? '',
    protectedNamespaces: env.PROTECTED_NAMESPACES ?? '',
    annotationKey: env.ANNOTATION_KEY ?? '',
    knownImages: [...(ownImage === undefined ? [] : [ownImage.name]), ...knownImagesOf(env)],
    ownImage,
  };
}
