/** Builders of faults. */
import { catalogueEntry } from './catalogue.ts';
import { checkOptions, type OptionCheck, objectName } from './check-options.ts';
import type { ChaosProblem } from './errors.ts';
import { BuiltExperiment } from './experiment.ts';
import type { Entry } from './objects.ts';
import { isProbe } from './probe.ts';
import { hasTarget } from './settings/code-settings.ts';
import { writeSetting } from './settings/setting-form.ts';
import { builderName, settingName } from './settings/setting-name.ts';
import { selectorsOf, targetProblem } from './target.ts';
import type { Experiment, FaultOptions, Probe, Target } from './types.ts';

const probes: OptionCheck = (value) =>
  Array.isArray(value) && value.every(isProbe)
    ? undefined
    : 'a list of probes, made by builders such as httpProbe';

/**
 * The builder of a fault: an experiment of that fault alone.
 *
 * @throws ChaosError with every problem of the settings, by the builder, for unknown ones, and those of another form or out of bounds
 */
export function faultBuilder<Options extends FaultOptions>(fault: string): (options: Options) => Experiment {
  return (options) => buildFault(fault, options);
}

function buildFault(fault: string, options: FaultOptions): Experiment {
  const { settings, targets } = catalogueEntry(fault);
  const title = builderName(fault);
  const isTargeted = hasTarget({ targets });
  const variables = Object.entries(settings).map(([variable, tunable]) => ({
    variable,
    tunable,
    name: settingName(variable),
  }));
  const checks: Record<string, OptionCheck> = {
    ...Object.fromEntries(
      variables.map(({ variable, tunable, name }): [string, OptionCheck] => [
        name,
        (value) => {
          const written = writeSetting(variable, tunable, value);
          return 'expected' in written ? written.expected : undefined;
        },
      ]),
    ),
    name: objectName,
    probes,
    ...(isTargeted && { target: targetProblem }),
  };
  const given = checkOptions(title, options, checks, (all) => [
    ...(isTargeted && all.target === undefined
      ? [
          {
            field: `${title}.target`,
            message: "expected what is hit, such as 'deployment/web', found nothing",
          },
        ]
      : []),
    ...variables.flatMap(({ tunable, name }): ChaosProblem[] =>
      tunable.required === true && all[name] === undefined
        ? [{ field: `${title}.${name}`, message: `expected a value, found nothing: ${tunable.description}` }]
        : [],
    ),
  ]);
  const env = variables.flatMap(({ variable, tunable, name }) => {
    const value = given[name];
    const written = value === undefined ? undefined : writeSetting(variable, tunable, value);
    return written !== undefined && 'text' in written ? [{ name: variable, value: written.text }] : [];
  });
  const entry: Entry = {
    fault,
    env,
    // Checked above, as all that follows.
    probes: (given.probes as readonly Probe[] | undefined) ?? [],
    selectors: given.target === undefined ? [] : selectorsOf(given.target as Target | readonly Target[]),
  };
  const name = (given.name as string | undefined) ?? fault;
  return new BuiltExperiment({ entries: [entry], settings: { name, spec: {} } });
}
