import { type Command, InvalidArgumentError, Option } from 'commander';
import { contextOption, kubeconfigOption, namespaceOption, plainTextOption } from '../../common-options.ts';

/** A subcommand that works on a cluster. */
export function clusterCommand(parent: Command, name: string): Command {
  return plainTextOption(parent.command(name))
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption());
}

/** An option that may be given several times. */
export function collectOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);
}

/** `a=1,b=2`, as kubectl reads labels. */
export function pairsOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(
    (text: string, before: Readonly<Record<string, string>> | undefined) => ({
      ...before,
      ...readPairs(text),
    }),
  );
}

function readPairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new InvalidArgumentError('expected name=value, several separated by commas');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export function selectorOptions(command: Command): Command {
  return command
    .option('-l, --selector <selector>', 'only workflows with these labels')
    .option('--field-selector <selector>', 'only workflows with these fields, such as metadata.name=x');
}

export function nodeSelectorOption(what: string): Option {
  return new Option('--node-field-selector <selector>', what);
}

export function parameterOptions(command: Command): Command {
  return command
    .addOption(
      collectOption('-p, --parameter <name=value>', 'value of a parameter of the workflow (repeatable)'),
    )
    .option('-f, --parameter-file <file>', 'YAML or JSON with names and values of parameters');
}

/** Options for following a workflow that has just begun. */
export function followOptions(command: Command): Command {
  return command
    .option('-w, --wait', 'wait for the end; the exit code says how it ended')
    .option('--watch', 'show the tree of steps until the end')
    .option('--log', 'print what the pods print, until the end');
}

export function outputOption(...formats: readonly string[]): Option {
  return new Option('-o, --output <format>', 'output format').choices([...formats]);
}
