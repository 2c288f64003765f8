import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@turnsole/kube/text/environment';

/**
 * The path of a pod's file or folder for this process. Pods that are plain local processes have their volumes below TURNSOLE_POD_ROOT
 * (docs/architecture.md); an existing path there wins.
 */
export function podPath(path: string, { TURNSOLE_POD_ROOT: root = '' }: Environment): string {
  if (root === '') return path;
  const mounted = join(root, path);
  return existsSync(mounted) ? mounted : path;
}
