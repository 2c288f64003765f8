import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseObject } from '@turnsole/kube/text/json';
import { OWN_FAULTS_VARIABLE, ownFaultName } from '../../chaos/own-faults.ts';
import { isBuiltInFault } from '../../faults/index.ts';
import { CommandError } from '../errors.ts';

const MODULE = /(?<!\.test|\.spec|\.d)\.(?:m?js|m?ts)$/;

/**
 * The modules of faults in folders and packages: each file of a folder; of a package the folder that its `package.json` names by
 * `turnsole.faults`, by default `faults`.
 *
 * @param base folder from which both are looked for
 * @returns the value of the variable of {@link OWN_FAULTS_VARIABLE}
 * @throws CommandError naming what has none, and faults of one name
 */
export async function findFaults(named: readonly string[], base: string): Promise<string> {
  const files = (await Promise.all(named.map((one) => filesOf(one, base)))).flat();
  const names = new Map<string, string>();
  for (const path of files) {
    const name = ownFaultName(path);
    const other = names.get(name) ?? (isBuiltInFault(name) ? 'Turnsole itself' : undefined);
    if (other !== undefined)
      throw new CommandError(
        `there are two faults ${name}: of ${path} and of ${other}; rename one`,
        'OPTION_INVALID',
      );
    names.set(name, path);
  }
  return [...names.values()].join(delimiter);
}

async function filesOf(named: string, base: string): Promise<readonly string[]> {
  const folder = (await isFolder(resolve(base, named)))
    ? resolve(base, named)
    : await folderOfPackage(named, base);
  const entries = await readdir(folder).catch(() => []);
  const files = entries.filter((name) => MODULE.test(name)).toSorted();
  if (files.length === 0)
    throw new CommandError(
      `faults of ${named}: ${folder} has no module of a fault (NAME.js, NAME.mjs or NAME.ts)`,
      'NOT_FOUND',
    );
  return files.map((name) => join(folder, name));
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function folderOfPackage(name: string, base: string): Promise<string> {
  const looked = createRequire(join(base, 'package.json')).resolve.paths(name) ?? [];
  for (const place of looked) {
    const file = join(place, name, 'package.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const { turnsole } = parseObject(text) ?? {};
    const said =
      typeof turnsole === 'object' && turnsole !== null && 'faults' in turnsole ? turnsole.faults : undefined;
    return join(dirname(file), typeof said === 'string' ? said : 'faults');
  }
  throw new CommandError(
    `faults of ${name}: there is no such folder, and no such package is installed`,
    'NOT_FOUND',
  );
}
