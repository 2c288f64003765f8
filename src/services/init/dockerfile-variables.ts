import type { readDockerfile } from './dockerfile.ts';

/** Names that say something of the image, and nothing to its program. */
const OF_THE_IMAGE = /^(?:PATH|HOME|LANG|LC_\w+|DEBIAN_FRONTEND|\w+_VERSION)$/;

/**
 * The variables of an image that its program is given elsewhere as well. Left out are those of the image itself (PATH, HOME, versions), paths
 * (the image's, and not this machine's), and values that a command line of words cannot have: with blanks, quotes or references. Pure.
 */
export function variablesForCommand({
  variables,
}: Pick<ReturnType<typeof readDockerfile>, 'variables'>): ReadonlyMap<string, string> {
  return new Map(
    [...variables].filter(
      ([name, value]) => !OF_THE_IMAGE.test(name) && /^[^\s"'$\\`/][^\s"'$\\`]*$/.test(value),
    ),
  );
}

/** A command that begins with these variables, by `env`, which may be there already. Pure. */
export function withVariables(command: string, variables: ReadonlyMap<string, string>): string {
  if (variables.size === 0) return command;
  const said = [...variables].map(([name, value]) => `${name}=${value}`).join(' ');
  const [, before = 'env', rest = command] = /^(env -C \S+) (.*)$/.exec(command) ?? [];
  return `${before} ${said} ${rest}`;
}
