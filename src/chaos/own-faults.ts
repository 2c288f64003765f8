/** Faults that a user has written: modules whose names are those of the faults. All of it is pure. */
import { basename, delimiter, extname } from 'node:path';

/** Variable of every process that has to know them: absolute paths of modules, as in PATH. */
export const OWN_FAULTS_VARIABLE = 'TURNSOLE_FAULTS';

/** The modules of the variable, by the names of their faults. */
export function ownFaultFiles(
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const paths = (env[OWN_FAULTS_VARIABLE] ?? '').split(delimiter).filter((path) => path !== '');
  return new Map(paths.map((path) => [ownFaultName(path), path]));
}

/** The name of the fault of a module: that of its file. */
export function ownFaultName(path: string): string {
  return basename(path, extname(path));
}
