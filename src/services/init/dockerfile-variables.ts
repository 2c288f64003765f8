/** Names that say something of the image, and nothing to its program. */
const OF_THE_IMAGE = /^(?:PATH|HOME|LANG|LC_\w+|DEBIAN_FRONTEND|\w+_VERSION)$/;
/** One of `A=b`, `A="b c"`, `A='b c'`. */
const ASSIGNMENT = /([A-Za-z_]\w*)=("[^"]*"|'[^']*'|\S*)/g;

/**
 * The variables that the last stage of a Dockerfile sets by ENV, in order. Left out are those of the image itself (PATH, HOME, versions), paths
 * (the image's, and not this machine's), and values that a command line of words cannot have: with blanks, quotes or references. Pure.
 */
export function variablesOfDockerfile(text: string): ReadonlyMap<string, string> {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split('\n');
  const stage = lines.slice(lines.findLastIndex((line) => /^\s*FROM\s/i.test(line)) + 1);
  const found = new Map<string, string>();
  for (const line of stage) {
    const said = /^\s*ENV\s+(.+?)\s*$/i.exec(line)?.[1];
    if (said === undefined) continue;
    // The older form has one name, and all of the rest as its value.
    const older = /^([A-Za-z_]\w*)\s+(.+)$/.exec(said);
    const pairs = older === null ? [...said.matchAll(ASSIGNMENT)] : [older];
    for (const [, name = '', value = ''] of pairs) found.set(name, value.replaceAll(/^["']|["']$/g, ''));
  }
  return new Map(
    [...found].filter(
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
