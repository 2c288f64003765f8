import { type Command, Option } from 'commander';
import { parseTolerance } from '../services/propose/check.ts';
import { parseTarget } from '../services/propose/target.ts';
import { parseRateOption, parseSettingOption, parseTextsOption, readBy } from './options.ts';

/** Adds the options of an experiment that stands on the command line. */
export function addProposedOptions(command: Command): Command {
  return command
    .optionsGroup('An experiment without manifests of its own:')
    .option('--fault <name>', 'inject this fault; the files are then those of the application')
    .addOption(
      new Option('--target <kind/name>', 'with --fault: what it hits, such as deployment/api').argParser(
        readBy(parseTarget),
      ),
    )
    .option(
      '--probe <url>',
      'with --fault: ask this address, as a pod sees it, and fail when it does not answer (repeatable); without it one is proposed',
      parseTextsOption,
    )
    .option('--no-probe', 'with --fault: ask nothing')
    .option('--rate <n>', 'with --fault: ask so many times a second, on schedule', parseRateOption)
    .addOption(
      new Option(
        '--tolerance <limits>',
        'with --fault: share of the requests that may fail, longest outage, or both: 1%,2s (default: none may fail)',
      ).argParser(readBy(parseTolerance)),
    )
    .option('--set <name=value>', 'with --fault: a setting of the fault (repeatable)', parseSettingOption)
    .option('--save <file>', 'with --fault: also write the manifests that say the same to a new file')
    .optionsGroup('Options:');
}
