import { targetsOfEngine } from '../../api/engine-targets.ts';
import type { ChaosEngine, ChaosExperiment, EngineExperiment, EnvVar } from '../../api/index.ts';
import { editDistance } from '../../api/validation/suggest.ts';
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
  if (spec.annotationCheck === 'true') values.set('ANNOTATION_CHECK', 'true');
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

/** A variable that nothing reads, and the one that was probably meant. */
export interface MisspelledVariable {
  readonly name: string;
  readonly suggestion: string;
}

/** Set by the runner and never by users: a variable of theirs with almost such a name is their own. */
const RUNNER_VARIABLES = ['TARGETS', 'RUN_ID', 'POD_NAME', 'CHAOS_UID', 'CHAOSENGINE', 'INSTANCE_ID'];

/**
 * The engine's variables that bear the name of a setting but for one slip. Others that no setting has are the user's own, for
 * probes or images; those that the ChaosExperiment declares are meant. Pure.
 */
export function misspelledVariables(
  experiment: ChaosExperiment,
  entry: EngineExperiment,
  settings: readonly string[],
): MisspelledVariable[] {
  const declared = (experiment.spec.definition.env ?? []).map(({ name }) => name);
  const known = [...settings, ...declared, 'STATUS_CHECK_DELAY'];
  const likely = known.filter((name) => !RUNNER_VARIABLES.includes(name));
  return (entry.spec?.components?.env ?? []).flatMap(({ name }) => {
    const suggestion = known.includes(name) ? undefined : likely.find((other) => isSlip(name, other));
    return suggestion === undefined ? [] : [{ name, suggestion }];
  });
}

function isSlip(found: string, meant: string): boolean {
  const plain = (name: string): string => name.toUpperCase().replace(/[-_.]/g, '');
  return editDistance(plain(found), plain(meant)) <= 1;
}
