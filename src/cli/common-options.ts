import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseBuildOption } from './image/build-option.ts';
import { parseDurationOption, parseImageOption, parseNodesOption } from './options.ts';

/** Receives the exit code of the subcommand that ran. */
export type Done = (code: number) => void;

/** `--no-color`, which counts for everything that the command prints, as the variable NO_COLOR does. */
export function plainTextOption(command: Command): Command {
  return command.option('--no-color', 'plain text').on('option:no-color', () => {
    delete process.env['FORCE_COLOR'];
    process.env['NO_COLOR'] = '1';
  });
}

export function kubeconfigOption(): Option {
  return new Option('--kubeconfig <file>', 'use the cluster of this kubeconfig');
}

export function contextOption(): Option {
  return new Option('--context <name>', 'context of the kubeconfig; default: its current one');
}

export function namespaceOption(): Option {
  return new Option('-n, --namespace <name>', 'namespace of objects that name none');
}

/** An option with a time, whose default appears as a user would write it. */
export function durationOption(flags: string, description: string, given: string): Option {
  return new Option(flags, description)
    .argParser(parseDurationOption)
    .default(parseDurationOption(given), given);
}

export function imageOption(): Option {
  return new Option(
    '--image <name=command>',
    'embedded cluster: let an image name stand for a local command (repeatable)',
  ).argParser(parseImageOption);
}

export function buildOption(): Option {
  return new Option(
    '--build <path=name>',
    'embedded cluster: have Docker, Podman or Buildah, the first that works here, build an image from a Dockerfile or its folder, and take it (repeatable)',
  ).argParser(parseBuildOption);
}

export function isolationOption(): Option {
  return new Option(
    '--isolation <mode>',
    'embedded cluster: pods with networks, processes, files and limits of their own, which takes Linux, and root or a user who may make namespaces; auto: where that is possible as root, and of an ordinary user where what is run or planned needs it; full: always, or else do not start',
  )
    .choices(['auto', 'none', 'full'])
    .default('auto');
}

export function nodesOption(): Option {
  return new Option('--nodes <n>', 'embedded cluster: number of nodes')
    .argParser(parseNodesOption)
    .default(1);
}

/** A whole number of at least `minimum`. */
export function integerOption(flags: string, description: string, minimum = 0): Option {
  return new Option(flags, description).argParser((text: string) => {
    if (!/^-?\d+$/.test(text) || Number(text) < minimum)
      throw new InvalidArgumentError(`expected a whole number of at least ${minimum}`);
    return Number(text);
  });
}
