import { targetsOfEngine } from '../../api/engine-targets.ts';
import type { ChaosEngine, ChaosExperiment, EngineExperiment, EnvVar } from '../../api/index.ts';
import type { Environment } from '../settings/parse-tunables.ts';

/** The environment an experiment would get, as far as it can be known beforehand. */
export interface ExperimentEnvironment {
  readonly env: Environment;
  /** Variables whose value comes from a config map, secret or field: unknown here. */
  readonly unknown: readonly string[];
}

/**
 * The environment of an experiment's container as the runner makes it, weakest first: what the engine implies, the
 * ChaosExperiment, the engine's entry. Pure.
 */
export function experimentEnvironment(
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  entry: EngineExperiment,
): ExperimentEnvironment {
  const { spec, metadata } = engine;
  const components = entry.spec?.components;
  const timeouts = components?.statusCheckTimeouts;
  const implied: Record<string, string | undefined> = {
    CHAOSENGINE: metadata.name,
    TARGETS: targetsOfEngine(engine),
    CHAOS_NAMESPACE: metadata.namespace ?? 'default',
    AUXILIARY_APPINFO: spec.auxiliaryAppInfo,
    CHAOS_UID: metadata.uid,
    EXPERIMENT_NAME: entry.name,
    DEFAULT_HEALTH_CHECK: spec.defaultHealthCheck === undefined ? undefined : String(spec.defaultHealthCheck),
    CHAOS_SERVICE_ACCOUNT: spec.chaosServiceAccount,
  };
  const values = new Map<string, string>();
  const unknown = new Set<string>();
  for (const [name, value] of Object.entries(implied)) if (value) values.set(name, value);
  for (const variable of [...(experiment.spec.definition.env ?? []), ...(components?.env ?? [])]) {
    take(variable, values, unknown);
  }
  values.set('STATUS_CHECK_DELAY', String(timeouts?.delay ?? 2));
  values.set('STATUS_CHECK_TIMEOUT', String(timeouts?.timeout ?? 180));
  return { env: Object.fromEntries(values), unknown: [...unknown] };
}

function take({ name, value, valueFrom }: EnvVar, values: Map<string, string>, unknown: Set<string>): void {
  values.delete(name);
  unknown.delete(name);
  if (valueFrom !== undefined && valueFrom !== null) unknown.add(name);
  else values.set(name, value ?? '');
}

/**
 * The fault a ChaosExperiment runs: the `-name` of its command line, which may differ from the name of the object; else that
 * name. Pure.
 */
export function faultNameOf(experiment: ChaosExperiment): string {
  const { command = [], args = [] } = experiment.spec.definition;
  const line = [...command, ...args].join(' ');
  return /(?:^|\s)--?name[=\s]+([a-z0-9-]+)/.exec(line)?.[1] ?? experiment.metadata.name;
}
