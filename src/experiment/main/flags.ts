import { parseArgs } from 'node:util';

/** Flags of `turnsole experiment` and `turnsole helper`, with one dash or two as upstream's programs take them. */
export interface ComponentFlags {
  readonly name: string;
  readonly kubeconfig: string | undefined;
}

/** The command line cannot be used; the message says how it should look. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/**
 * Reads `-name NAME` and `-kubeconfig FILE`; `--name`, `-name=NAME` and so on mean the same.
 *
 * Upstream takes `pod-delete` when no name is given. A missing name is refused here: it is more often a mistake than a wish to
 * delete pods.
 */
export function parseFlags(
  program: string,
  argv: readonly string[],
  known: readonly string[],
): ComponentFlags {
  const usage = `usage: turnsole ${program} -name NAME [-kubeconfig FILE]`;
  const { values } = readArguments(usage, argv);
  const names = [...known].sort().join(', ');
  const { name, kubeconfig } = values;
  if (name === undefined || name === '') throw new FlagError(`no -name given; known: ${names}; ${usage}`);
  if (!known.includes(name)) {
    throw new FlagError(`there is no ${program} named ${JSON.stringify(name)}; known: ${names}`);
  }
  return { name, kubeconfig };
}

function readArguments(usage: string, argv: readonly string[]) {
  // Go's flag package takes one dash for long names, Node's parser two.
  const args = argv.map((argument) => argument.replace(/^-(?=[a-z]{2,})/, '--'));
  try {
    return parseArgs({
      args,
      options: { name: { type: 'string' }, kubeconfig: { type: 'string' } },
      strict: true,
      allowPositionals: false,
    });
  } catch (cause) {
    throw new FlagError(`${cause instanceof Error ? cause.message : String(cause)}; ${usage}`, { cause });
  }
}
