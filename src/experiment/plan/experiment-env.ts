import type { Environment } from '@turnsole/kube/text/environment';
import type { ChaosEngine, ChaosExperiment, EngineExperiment } from '../../api/index.ts';
import { composeExperimentEnv, handoutOf, type OperatorHandout } from '../../chaos/experiment-env.ts';
import { experimentImage } from '../../chaos/experiment-image.ts';
import type { OwnImage } from '../../chaos/own-image.ts';

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
