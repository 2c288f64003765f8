import type { ChaosEngine, EngineExperiment, EnvVar, ExperimentDefinition } from '../api/index.ts';
import { wantsDryRun } from '../api/run-record.ts';
import type { RunnerSettings } from './settings.ts';
import { SkipError } from './skip.ts';

/** Seconds between two status checks and until they fail, when the engine says nothing. */
const STATUS_CHECK_DEFAULTS = { delay: 2, timeout: 180 } as const;

/** What the environment of an experiment is made of. */
export interface EnvInput {
  readonly engine: ChaosEngine;
  readonly name: string;
  readonly definition: ExperimentDefinition;
  readonly entry: EngineExperiment;
  readonly settings: RunnerSettings;
  readonly runId: string;
  /** Of the experiment's image, and so of its helpers'. */
  readonly pullPolicy: string;
  /** Path of the entry's components in the engine, for messages. */
  readonly path: string;
}

/**
 * Environment of the experiment's container. Later layers replace variables of the same name: what follows from the engine
 * (empty values left out) < `definition.env` < the engine's entry < what the experiment must not be told otherwise. Entries
 * with `valueFrom` pass through as they are. Pure.
 *
 * @throws SkipError for an entry without a name or with a value that is no text
 */
export function experimentEnv(input: EnvInput): EnvVar[] {
  const { definition, entry, name, path } = input;
  const variables = new Map<string, EnvVar>();
  const put = (layer: readonly EnvVar[]): void => {
    for (const variable of layer) variables.set(variable.name, variable);
  };
  put(derived(input));
  put(checked(definition.env, `ChaosExperiment ${name}: spec.definition.env`));
  put(checked(entry.spec?.components?.env, `ChaosEngine ${input.engine.metadata.name}: ${path}.env`));
  put(forced(input));
  return [...variables.values()];
}

function derived({ engine, name, settings, pullPolicy }: EnvInput): EnvVar[] {
  const { spec, metadata } = engine;
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const values: readonly (readonly [string, string | undefined])[] = [
    ['CHAOSENGINE', metadata.name],
    ['TARGETS', settings.targets],
    ['CHAOS_NAMESPACE', settings.namespace],
    ['AUXILIARY_APPINFO', settings.auxiliaryAppInfo],
    ['CHAOS_UID', metadata.uid],
    ['EXPERIMENT_NAME', name],
    ['LIB_IMAGE_PULL_POLICY', pullPolicy],
    ['TERMINATION_GRACE_PERIOD_SECONDS', grace > 0 ? String(grace) : ''],
    ['DEFAULT_HEALTH_CHECK', spec.defaultHealthCheck === undefined ? '' : String(spec.defaultHealthCheck)],
    ['CHAOS_SERVICE_ACCOUNT', settings.serviceAccount],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', settings.otlpEndpoint],
    ['TRACE_PARENT', settings.traceParent],
  ];
  return values.flatMap(([variable, value]) =>
    value === undefined || value === '' ? [] : [{ name: variable, value }],
  );
}

function forced({ engine, entry, runId, settings }: EnvInput): EnvVar[] {
  const timeouts = entry.spec?.components?.statusCheckTimeouts;
  const { protectedNamespaces, annotationKey } = settings;
  const isDry = wantsDryRun(engine);
  const isOptIn = engine.spec.annotationCheck === 'true';
  return [
    // Who runs the operator decides what is protected; an engine can ask for exceptions by name.
    ...(protectedNamespaces === '' ? [] : [{ name: 'PROTECTED_NAMESPACES', value: protectedNamespaces }]),
    ...(isDry ? [{ name: 'DRY_RUN', value: 'true' }] : []),
    // An engine that spares whoever did not agree must not hit them because a chart says otherwise.
    ...(isOptIn ? [{ name: 'ANNOTATION_CHECK', value: 'true' }] : []),
    ...(isOptIn && annotationKey !== '' ? [{ name: 'ANNOTATION_KEY', value: annotationKey }] : []),
    { name: 'STATUS_CHECK_DELAY', value: String(timeouts?.delay || STATUS_CHECK_DEFAULTS.delay) },
    { name: 'STATUS_CHECK_TIMEOUT', value: String(timeouts?.timeout || STATUS_CHECK_DEFAULTS.timeout) },
    { name: 'JOB_CLEANUP_POLICY', value: engine.spec.jobCleanUpPolicy || 'retain' },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'RUN_ID', value: runId },
  ];
}

/** Names and types are checked here and not only by the schema: a cluster's CRD may be an older, laxer one. */
function checked(env: readonly EnvVar[] | null | undefined, path: string): readonly EnvVar[] {
  for (const [index, variable] of (env ?? []).entries()) {
    const value: unknown = variable.value;
    if (typeof variable.name !== 'string' || variable.name === '') {
      throw new SkipError('EnvParseError', `${path}[${index}].name: Required value`);
    }
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw new SkipError(
        'EnvParseError',
        `${path}[${index}].value: Invalid value: ${JSON.stringify(value)}: variable ${variable.name} must be text; put it in quotes`,
      );
    }
  }
  return env ?? [];
}
