import { posix } from 'node:path';
import type { Container } from '@turnsole/kube/kinds/core';
import { onHost } from '../pod/stand-in-launch.ts';

/**
 * The command as a container's processes have to be given it; pure. Without a mount namespace, paths below mounts are
 * elsewhere (see {@link onHost}). `tar cf - /mount/file`, as kubectl cp asks for, must still name what it packs as
 * asked: it is packed from the container's root.
 */
export function execCommand(words: readonly string[], container: Container, root: string): readonly string[] {
  const [tar = '', mode, output, path, ...more] = words;
  const isPacking = posix.basename(tar) === 'tar' && mode === 'cf' && output === '-' && more.length === 0;
  if (isPacking && path !== undefined && onHost([path], container, root)[0] !== path) {
    return [tar, mode, output, '-C', root, path.replace(/^\/+/, '')];
  }
  return onHost(words, container, root);
}
