import { type Command, InvalidArgumentError, Option } from 'commander';
import type { NodeLabels, RuntimeOptions } from '../../runs/session/open-cluster.ts';

/** Adds `--runtime` and `--node-label` to a command. */
export function addRuntimeOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--runtime <name>',
        'what runs pods: local processes, or nothing at all (simulated: by rules, for thousands of pods)',
      )
        .choices(['process', 'simulated'])
        .default('process'),
    )
    .addOption(
      new Option(
        '--node-label <key=value[@node]>',
        'label of all nodes, or of one (repeatable), e.g. disk=ssd@turnsole-2',
      ).argParser(parseNodeLabel),
    );
}

/** The command line that gives the same options. */
export function runtimeArguments({ runtime, nodeLabel }: RuntimeOptions): string[] {
  const labels = Object.entries(nodeLabel ?? {}).flatMap(([node, pairs]) =>
    Object.entries(pairs).map(([key, value]) => `${key}=${value}${node === '*' ? '' : `@${node}`}`),
  );
  return [
    ...(runtime === undefined ? [] : ['--runtime', runtime]),
    ...labels.flatMap((label) => ['--node-label', label]),
  ];
}

/** Collects `key=value[@node]`. */
export function parseNodeLabel(text: string, before: NodeLabels = {}): NodeLabels {
  const match = /^(?<key>[^=@\s]+)=(?<value>[^=@\s]*)(?:@(?<node>[^=@\s]+))?$/.exec(text);
  if (match?.groups === undefined) {
    throw new InvalidArgumentError('expected key=value or key=value@node, for example disk=ssd@turnsole-2');
  }
  const { key = '', value = '', node = '*' } = match.groups;
  return { ...before, [node]: { ...before[node], [key]: value } };
}
