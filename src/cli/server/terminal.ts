import { realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { findProgram } from '@turnsole/kube/base/machine';
import type { Environment } from '@turnsole/kube/text/environment';
import { commandLine, shellWord } from '@turnsole/kube/text/shell';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import type { ClusterSession } from '../../runs/session/open-cluster.ts';

/** The words of a shell that command lines are made of, as the page gets them. */
interface ClusterTerminal {
  /** The begin of a command line: variables, if it needs any, and the program. */
  readonly turnsole: string;
  /** What other programs need before their names. */
  readonly variables: string;
  /** Options that choose the cluster. */
  readonly cluster: string;
  /** Folder of the experiment to begin with. */
  readonly quickstart: string;
}

/** How command lines in any terminal of this machine, in any folder, reach a cluster. Undefined for a cluster that no file says the way to. */
export function terminalOf(
  { files, context }: ClusterSession['kubeconfig'],
  env: Environment,
): ClusterTerminal | undefined {
  const [file, ...more] = files;
  if (file === undefined) return undefined;
  // An option names one file, the variable several.
  const isList = more.length > 0;
  const variables = isList ? `KUBECONFIG=${shellWord(files.join(delimiter))} ` : '';
  const cluster = [
    ...(isList ? [] : ['--kubeconfig', file]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  return {
    turnsole: `${variables}${commandLine(programWords(env))}`,
    variables,
    cluster: commandLine(cluster),
    quickstart: shellWord(join(PACKAGE_ROOT, 'examples', 'quickstart')),
  };
}

/** `turnsole` where every terminal finds this package by that name, else its file with the path of a Node. */
function programWords(env: Environment): readonly string[] {
  // npx and npm put these folders in front for what they start; another terminal does not have them.
  const lasting = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join(sep, 'node_modules', '.bin')));
  const path = lasting.join(delimiter);
  const own = join(PACKAGE_ROOT, 'bin', 'turnsole.js');
  const found = findProgram('turnsole', path);
  if (found !== undefined && realpathSync(found) === realpathSync(own)) return ['turnsole'];
  return [findProgram('node', path) === undefined ? process.execPath : 'node', own];
}
