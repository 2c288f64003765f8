import { readFile } from 'node:fs/promises';
import type { Environment } from '@turnsole/kube/text/environment';
import { podPath } from '../../process/pod-path.ts';

/**
 * Gives the text of a file in the experiment pod.
 *
 * @throws the error of the file system when the pod has no such file
 */
export async function readPodFile(path: string, env: Environment, signal: AbortSignal): Promise<string> {
  return await readFile(podPath(path, env), { encoding: 'utf8', signal });
}
