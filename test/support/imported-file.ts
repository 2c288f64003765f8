import { dirname, join, normalize } from 'node:path';

/** `@turnsole/kube`, `@turnsole/kube/text/duration`. */
const OF_OWN_PACKAGE = /^@turnsole\/([a-z-]+)(?:\/(.+))?$/;

/**
 * The file that an import names, from the root of the project: beside the importing file, or in one of the project's own packages (whose
 * `exports` name each file of their `src` without its ending). Undefined for other packages and modules of Node. Pure.
 */
export function importedFile(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(importer), specifier));
  const [, name, path = 'index'] = OF_OWN_PACKAGE.exec(specifier) ?? [];
  return name === undefined ? undefined : `packages/${name}/src/${path}.ts`;
}
