import {
  abortSignal,
  callable,
  checkOptions,
  flag,
  type OptionCheck,
  objectName,
  text,
} from './check-options.ts';
import { refusedSettings } from './errors.ts';
import { BuiltExperiment } from './experiment.ts';
import type { ClusterRef, PlanOptions, RunOptions } from './run-options.ts';
import { durationMs } from './settings/setting-form.ts';

/** What a plan or a run is asked for. */
export interface Asked<Options extends PlanOptions> {
  readonly cluster: ClusterRef | undefined;
  readonly experiment: BuiltExperiment;
  readonly options: Options;
}

const time: OptionCheck = (value) =>
  typeof value === 'string' && durationMs(value) !== undefined
    ? undefined
    : "a time with its unit, such as '10m'";

const OF_PLAN: Readonly<Record<keyof PlanOptions, OptionCheck>> = {
  signal: abortSignal,
  namespace: objectName,
  manifests: (value) =>
    (Array.isArray(value) ? value : [value]).every((one) => typeof one === 'string')
      ? undefined
      : 'the text of a manifest, or several of them',
  readyTimeout: time,
  requireChecks: flag,
  image: text,
};

const CHECKS = {
  planChaos: OF_PLAN,
  runChaos: { ...OF_PLAN, timeout: time, onStep: callable } satisfies Readonly<
    Record<keyof RunOptions, OptionCheck>
  >,
} as const;

/**
 * The arguments of a function that takes a cluster first, or none.
 *
 * @throws ChaosError INPUT_REFUSED for other arguments, naming them
 */
export function argumentsOf<Options extends PlanOptions>(
  title: keyof typeof CHECKS,
  given: readonly unknown[],
): Asked<Options> {
  const [first] = given;
  const [cluster, experiment, options = {}] =
    first instanceof BuiltExperiment ? [undefined, ...given] : given;
  if (!(experiment instanceof BuiltExperiment)) {
    const message = 'expected an experiment: that of a builder such as podDelete, or of fromManifest';
    throw refusedSettings([{ field: `${title}.experiment`, message }]);
  }
  return {
    // Anything that is no cluster is refused when it is opened.
    cluster: cluster as ClusterRef | undefined,
    experiment,
    options: checkOptions(`${title}.options`, options, CHECKS[title]) as Options,
  };
}
