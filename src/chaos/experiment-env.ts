import type { EnvVar } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, EngineExperiment } from '../api/schema/engine.ts';
import type { ExperimentDefinition } from '../api/schema/experiment.ts';
import { targetsOfEngine } from './engine-targets.ts';
import { wantsDryRun } from './run-record.ts';

/** Seconds between two status checks and until they fail, when nothing else is said (0 in the field is nothing, as upstream). */
const STATUS_CHECK_DEFAULTS = { delay: 2, timeout: 180 } as const;

/** Settings of an operator that it hands on to the runs of all its engines. */
export interface OperatorHandout {
  /** Settings of OpenTelemetry (`OTEL_…`). @default none */
  readonly otel?: Readonly<Record<string, string>> | undefined;
  /** Namespaces separated by commas. @default the experiments' own: kube-system */
  readonly protectedNamespaces?: string | undefined;
  /** CUSTOM_ANNOTATION: handed on as ANNOTATION_KEY to engines with `annotationCheck: "true"`. */
  readonly annotationKey?: string | undefined;
}

/** The settings that the operator passes to a runner for its experiments; empty texts for missing ones. */
export interface RunnerHandout {
  readonly targets: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly auxiliaryAppInfo: string;
  readonly otel: Readonly<Record<string, string>>;
  readonly protectedNamespaces: string;
  readonly annotationKey: string;
}

/** The environment that an operator gives to the runner of an engine; a plan, for which no runner starts, composes it too. Pure. */
export function handoutOf(
  engine: Pick<ChaosEngine, 'metadata' | 'spec'>,
  operator: OperatorHandout,
): RunnerHandout {
  const { metadata, spec } = engine;
  return {
    targets: targetsOfEngine(engine),
    namespace: metadata.namespace ?? '',
    serviceAccount: spec.chaosServiceAccount ?? '',
    auxiliaryAppInfo: spec.auxiliaryAppInfo ?? '',
    otel: operator.otel ?? {},
    protectedNamespaces: operator.protectedNamespaces ?? '',
    annotationKey: spec.annotationCheck === 'true' ? (operator.annotationKey ?? '') : '',
  };
}

/** The sources of an experiment's environment. */
interface ExperimentEnvInput {
  readonly engine: ChaosEngine;
  /** Name of the ChaosExperiment. */
  readonly name: string;
  readonly definition: ExperimentDefinition;
  readonly entry: EngineExperiment;
  /** Position of the entry in the engine, for messages. */
  readonly position: number;
  readonly handout: RunnerHandout;
  /** Pull policy of the experiment's image, and so of its helpers'. */
  readonly pullPolicy: string;
  /** Absent in a plan: it is drawn when the run begins. */
  readonly runId?: string;
  readonly traceParent?: string;
}

/** The variables of an experiment's container, and the problems of those that the engine sets. */
interface ExperimentEnv {
  readonly variables: readonly EnvVar[];
  /** With the path of the field; variables that have one are left out. */
  readonly problems: readonly string[];
  /** Variables of chart or engine in whose place another value is used. */
  readonly overruled: readonly OverruledVariable[];
}

/** A variable that somebody wrote and that does not count. */
interface OverruledVariable {
  readonly name: string;
  /** The value that counts; empty when it is known in the pod only. */
  readonly used: string;
  /** Who or what decides: `spec.jobCleanUpPolicy`, `the operator`. */
  readonly by: string;
}

/** Variables of one source. */
interface Layer {
  readonly variables: readonly EnvVar[];
  readonly problems: readonly string[];
}

/** A variable that neither chart nor engine may set, and who sets it. */
interface ForcedVariable {
  readonly variable: EnvVar;
  readonly by: string;
}

/**
 * Composes the environment of the experiment's container, for the run and for its plan. Later layers replace variables of the same
 * name: what follows from the engine (empty values left out) < `definition.env` < the engine's entry < fields of the engine that say the
 * same, and what only operator and runner may set. Entries with `valueFrom` pass through as they are. Pure.
 */
export function composeExperimentEnv(input: ExperimentEnvInput): ExperimentEnv {
  const { definition, entry, name, position, engine } = input;
  const entryPath = `ChaosEngine ${engine.metadata.name}: spec.experiments[${position}].spec.components.env`;
  const written = [
    checkVariables(definition.env, `ChaosExperiment ${name}: spec.definition.env`),
    checkVariables(entry.spec?.components?.env, entryPath),
  ];
  const ofUsers = byName(written.flatMap((layer) => layer.variables));
  const forced = forcedVariables(input);
  const names = new Set([...ofUsers.keys(), ...forced.map(({ variable }) => variable.name)]);
  const defaults = DEFAULTS.filter((variable) => !names.has(variable.name));
  return {
    variables: [
      ...byName([
        ...impliedVariables(input),
        ...ofUsers.values(),
        ...defaults,
        ...forced.map(({ variable }) => variable),
      ]).values(),
    ],
    problems: written.flatMap(({ problems }) => problems),
    overruled: overruledBy(forced, ofUsers),
  };
}

/** The last of each name. */
function byName(variables: readonly EnvVar[]): ReadonlyMap<string, EnvVar> {
  return new Map(variables.map((variable) => [variable.name, variable]));
}

function overruledBy(
  forced: readonly ForcedVariable[],
  written: ReadonlyMap<string, EnvVar>,
): OverruledVariable[] {
  return forced.flatMap(({ variable: { name, value = '' }, by }) => {
    const found = written.get(name);
    // An empty value asks for nothing; one from elsewhere may be anything.
    const isEmpty = !found?.value && !found?.valueFrom;
    const used = value ?? '';
    return isEmpty || (found?.value === used && used !== '') ? [] : [{ name, used, by }];
  });
}

function impliedVariables({
  engine,
  name,
  handout,
  pullPolicy,
  traceParent,
}: ExperimentEnvInput): readonly EnvVar[] {
  const { spec, metadata } = engine;
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const values: readonly (readonly [string, string | undefined])[] = [
    ['CHAOSENGINE', metadata.name],
    ['TARGETS', handout.targets],
    ['CHAOS_NAMESPACE', handout.namespace],
    ['AUXILIARY_APPINFO', handout.auxiliaryAppInfo],
    ['CHAOS_UID', metadata.uid],
    ['EXPERIMENT_NAME', name],
    ['LIB_IMAGE_PULL_POLICY', pullPolicy],
    ['TERMINATION_GRACE_PERIOD_SECONDS', grace > 0 ? String(grace) : ''],
    ['DEFAULT_HEALTH_CHECK', spec.defaultHealthCheck === undefined ? '' : String(spec.defaultHealthCheck)],
    ['CHAOS_SERVICE_ACCOUNT', handout.serviceAccount],
    ...Object.entries(handout.otel),
    ['TRACE_PARENT', traceParent],
  ];
  return values.flatMap(([variable, value]) =>
    value === undefined || value === '' ? [] : [{ name: variable, value }],
  );
}

/** Counted where neither chart nor engine says anything. */
const DEFAULTS: readonly EnvVar[] = [
  { name: 'STATUS_CHECK_DELAY', value: String(STATUS_CHECK_DEFAULTS.delay) },
  { name: 'STATUS_CHECK_TIMEOUT', value: String(STATUS_CHECK_DEFAULTS.timeout) },
  { name: 'JOB_CLEANUP_POLICY', value: 'retain' },
];

function forcedVariables({
  engine,
  entry,
  position,
  runId,
  handout,
}: ExperimentEnvInput): readonly ForcedVariable[] {
  const { delay, timeout } = entry.spec?.components?.statusCheckTimeouts ?? {};
  const timeouts = `spec.experiments[${position}].spec.components.statusCheckTimeouts`;
  const { protectedNamespaces, annotationKey } = handout;
  const isOptIn = engine.spec.annotationCheck === 'true';
  const rows: readonly (readonly [name: string, value: string | undefined, by: string])[] = [
    // The operator's administrator decides which namespaces are protected; an engine can ask for exceptions by name.
    ['PROTECTED_NAMESPACES', protectedNamespaces, 'the operator'],
    ['DRY_RUN', wantsDryRun(engine) ? 'true' : '', 'spec.dryRun'],
    // An engine that spares applications without their consent must not hit them because a chart says otherwise.
    ['ANNOTATION_CHECK', isOptIn ? 'true' : '', 'spec.annotationCheck'],
    ['ANNOTATION_KEY', isOptIn ? annotationKey : '', 'the operator'],
    ['STATUS_CHECK_DELAY', delay ? String(delay) : '', `${timeouts}.delay`],
    ['STATUS_CHECK_TIMEOUT', timeout ? String(timeout) : '', `${timeouts}.timeout`],
    ['JOB_CLEANUP_POLICY', engine.spec.jobCleanUpPolicy, 'spec.jobCleanUpPolicy'],
  ];
  const ofPod = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
  return [
    ...rows.flatMap(([name, value, by]) => (value ? [{ variable: { name, value }, by }] : [])),
    { variable: ofPod, by: 'the runner' },
    ...(runId === undefined ? [] : [{ variable: { name: 'RUN_ID', value: runId }, by: 'the runner' }]),
  ];
}

/** Names and types are checked here and not only by the schema: a cluster's CRD may be an older, laxer one. */
function checkVariables(env: readonly EnvVar[] | null | undefined, path: string): Layer {
  const variables: EnvVar[] = [];
  const problems: string[] = [];
  for (const [index, variable] of (env ?? []).entries()) {
    const value: unknown = variable.value;
    if (typeof variable.name !== 'string' || variable.name === '') {
      problems.push(`${path}[${index}].name: Required value`);
    } else if (value !== undefined && value !== null && typeof value !== 'string') {
      problems.push(
        `${path}[${index}].value: Invalid value: ${JSON.stringify(value)}: variable ${variable.name} must be text; put it in quotes`,
      );
    } else {
      variables.push(variable);
    }
  }
  return { variables, problems };
}
