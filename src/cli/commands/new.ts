import { suggest } from '@turnsole/kube/schema/suggest';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PROBE_TYPES } from '../../api/probe-types/index.ts';
import type { NewExperimentOptions, NewScheduleOptions } from '../actions/new.ts';
import { contextOption, type Done, kubeconfigOption, namespaceOption } from '../common-options.ts';
import { addConfigOptions, isGivenTo } from '../config-options.ts';
import { parseDurationOption } from '../options.ts';
import { addProposedOptions } from '../proposed-options.ts';

/** `turnsole new`: experiments, probes and schedules to go on with. */
export function addNew(program: Command, done: Done): void {
  const parent = program
    .command('new')
    .description('write an experiment, or print a probe or a schedule, to go on with');
  addConfigOptions(addProposedOptions(parent.command('experiment')))
    .description('write an experiment into the folder of experiments of turnsole.yaml, or into --save FILE')
    .argument('[file|dir...]', 'manifests of the application; default: those of turnsole.yaml')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .addHelpText(
      'after',
      `
Example:
  turnsole new experiment --fault pod-cpu-hog-exec --target deployment/api --probe http://api:8080/`,
    )
    .action(async (paths: string[], options: NewExperimentOptions, command: Command) => {
      done(await (await import('../actions/new.ts')).experiment(paths, options, isGivenTo(command)));
    });
  parent
    .command('probe')
    .description('print a probe of a type, for the list spec.experiments[].spec.probe of an engine')
    .addArgument(
      parent.createArgument('<type>', 'type of the probe').choices(PROBE_TYPES).argParser(parseProbeType),
    )
    .action(async (type: string) => {
      done(await (await import('../actions/new.ts')).probe(type));
    });
  parent
    .command('schedule')
    .description('print a ChaosSchedule that repeats the engine of a file')
    .argument('<file>', 'manifests with one ChaosEngine')
    .addOption(
      new Option('--every <duration>', 'interval in whole minutes or hours, such as 30m or 6h')
        .argParser(parseDurationOption)
        .default(parseDurationOption('1h'), '1h'),
    )
    .action(async (file: string, options: NewScheduleOptions) => {
      done(await (await import('../actions/new.ts')).schedule(file, options));
    });
}

/** @throws InvalidArgumentError with the nearest type */
function parseProbeType(value: string): string {
  if (PROBE_TYPES.some((type) => type === value)) return value;
  const near = suggest(value, PROBE_TYPES);
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  throw new InvalidArgumentError(`${meant}Types are ${PROBE_TYPES.join(', ')}.`);
}
