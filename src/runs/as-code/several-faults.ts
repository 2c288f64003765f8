/** Experiments of several faults, or with settings of the whole run. */

import { isDeepStrictEqual } from 'node:util';
import { EXECUTION_ORDERS, ON_FAILURES } from '../../api/index.ts';
import { MAX_STEPS } from '../../api/max-steps.ts';
import { checkOptions, flag, type OptionCheck, objectName, oneOf, shown, whole } from './check-options.ts';
import { type ChaosProblem, refusedSettings } from './errors.ts';
import { BuiltExperiment } from './experiment.ts';
import type { Entry } from './objects.ts';
import { picked } from './picked.ts';
import { durationMs } from './settings/setting-form.ts';
import type { Experiment, ExperimentOptions } from './types.ts';

const EXPERIMENT_CHECKS: Readonly<Record<keyof ExperimentOptions, OptionCheck>> = {
  name: objectName,
  faults: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof BuiltExperiment)
      ? undefined
      : 'a list of faults, made by builders such as podDelete',
  namespace: objectName,
  serviceAccount: objectName,
  order: oneOf(EXECUTION_ORDERS),
  maxParallel: whole(1, MAX_STEPS),
  seed: (value) =>
    typeof value === 'string' || Number.isInteger(value) ? undefined : 'a whole number or a text',
  iterations: whole(1, MAX_STEPS),
  minInterval: (value) =>
    typeof value === 'string' && durationMs(value) !== undefined
      ? undefined
      : "a time with its unit, such as '10m'",
  onFailure: oneOf(ON_FAILURES),
  dryRun: flag,
  steadyState: oneOf(['require', 'ignore']),
  requireEffect: flag,
  minimumCoverage: (value) =>
    typeof value === 'string' && /^(?:100|\d{1,2})%$/.test(value)
      ? undefined
      : "a whole percentage, such as '90%'",
};

const OF_EXECUTION = ['order', 'maxParallel', 'seed', 'iterations', 'minInterval', 'onFailure'] as const;
const OF_SPEC = ['dryRun', 'steadyState', 'requireEffect'] as const;

/**
 * An experiment of one or several faults, which are one ChaosEngine.
 *
 * @throws ChaosError with every problem of the settings
 */
export function experiment(options: ExperimentOptions): Experiment {
  const given = checkOptions('experiment', options, EXPERIMENT_CHECKS, (all) => [
    ...['name', 'faults'].flatMap((name) =>
      all[name] === undefined
        ? [{ field: `experiment.${name}`, message: 'expected a value, found nothing' }]
        : [],
    ),
  ]) as unknown as ExperimentOptions;
  const entries = entriesOf(given.faults);
  const execution = picked(given, OF_EXECUTION);
  const coverage = given.minimumCoverage;
  return new BuiltExperiment({
    entries,
    settings: {
      name: given.name,
      ...picked(given, ['namespace', 'serviceAccount']),
      spec: {
        ...(Object.keys(execution).length > 0 && { execution }),
        ...picked(given, OF_SPEC),
        ...(coverage !== undefined && { minimumCoverage: Number(coverage.slice(0, -1)) }),
      },
    },
  });
}

function entriesOf(faults: readonly Experiment[]): readonly Entry[] {
  const problems: ChaosProblem[] = [];
  const entries = faults.flatMap((fault, index) => {
    const found = fault instanceof BuiltExperiment ? fault.entries : undefined;
    if (found !== undefined) return found;
    problems.push({
      field: `experiment.faults[${index}]`,
      message: `${fault.name} is a manifest, which is run by itself`,
    });
    return [];
  });
  const targeted = entries.filter(({ selectors }) => selectors.length > 0);
  const [first] = targeted;
  for (const [index, { fault, selectors }] of entries.entries()) {
    const field = `experiment.faults[${index}]`;
    if (entries.findIndex((one) => one.fault === fault) < index)
      problems.push({
        field,
        message: `${fault} is in the list already; make two experiments, or use iterations`,
      });
    if (first !== undefined && selectors.length > 0 && !isDeepStrictEqual(selectors, first.selectors))
      problems.push({
        field: `${field}.target`,
        message:
          `${fault} hits ${shown(selectors)} and ${first.fault} ${shown(first.selectors)}; ` +
          'faults of one experiment hit the same targets: make two experiments',
      });
  }
  if (problems.length > 0) throw refusedSettings(problems);
  return entries;
}
