import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import { editDistance } from '../../api/validation/suggest.ts';
import { composeExperimentEnv, handoutOf, type OperatorHandout } from '../../chaos/experiment-env.ts';
import { experimentImage } from '../../chaos/experiment-image.ts';
import type { OwnImage } from '../../chaos/own-image.ts';
import type { Environment } from '../../text/environment.ts';

/** What of its operator counts for a plan. */
export interface PlanOperator extends OperatorHandout {
  /** Stands in for upstream's images. */
  readonly ownImage?: OwnImage | undefined;
}

/** The environment an experiment would get, as far as it can be known beforehand. */
interface ExperimentEnvironment {
  readonly env: Environment;
  /** Variables whose value comes from a config map, secret or field: unknown here. */
  readonly unknown: readonly string[];
  /** Why the runner would skip the experiment. */
  readonly problems: readonly string[];
}

/** Known when the pod is there, and of no consequence before. */
const OF_THE_POD = 'POD_NAME';

/** The environment that the experiment's container gets from a runner, as values. Pure. */
export function experimentEnvironment(
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  entry: EngineExperiment,
  operator: PlanOperator = {},
): ExperimentEnvironment {
  const { definition } = experiment.spec;
  const { variables, problems } = composeExperimentEnv({
    engine,
    name: entry.name,
    definition,
    entry,
    position: positionOf(engine, entry),
    handout: handoutOf(engine, operator),
    // An experiment without an image does not start: no helper of it asks for a policy.
    pullPolicy: experimentImage(definition, entry, operator.ownImage)?.pullPolicy ?? '',
  });
  const [unknown, known] = partition(
    variables,
    ({ valueFrom }) => valueFrom !== undefined && valueFrom !== null,
  );
  return {
    env: Object.fromEntries(known.map(({ name, value }) => [name, value ?? ''])),
    unknown: unknown.map(({ name }) => name).filter((name) => name !== OF_THE_POD),
    problems,
  };
}

/** Position of an entry in its engine, by its name where it is a copy. Pure. */
export function positionOf({ spec }: Pick<ChaosEngine, 'spec'>, { name }: EngineExperiment): number {
  return Math.max(
    spec.experiments.findIndex((entry) => entry.name === name),
    0,
  );
}

function partition<T>(list: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [list.filter(test), list.filter((item) => !test(item))];
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

/** A variable that is read nowhere, and the one that was probably meant. */
interface MisspelledVariable {
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
