import { rmSync } from 'node:fs';
import { builtInImages } from '@turnsole/cluster/node/images/built-in';
import { makeTemporaryFolder } from '@turnsole/kube/base/temporary-folder';
import { matchImage } from '@turnsole/kube/text/image-reference';
import { ownImages } from './images.ts';

/** Tells which images an embedded cluster on this machine has by itself. The files of its catalogue are made for the moment. */
export function knownImage(): (image: string) => boolean {
  const directory = makeTemporaryFolder('turnsole-images-');
  try {
    const { images, commands } = ownImages([]);
    const names = [...builtInImages({ directory, commands }).keys(), ...images.keys()];
    return (image) => names.some((name) => matchImage(name, image) > 0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
