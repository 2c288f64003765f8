import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInImages } from '@turnsole/cluster/node/images/built-in';
import { matchImage } from '@turnsole/kube/text/image-reference';
import { ownImages } from './images.ts';

/** Tells which images an embedded cluster on this machine has by itself. The files of its catalogue are made for the moment. */
export function knownImage(): (image: string) => boolean {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-images-'));
  try {
    const { images, commands } = ownImages([]);
    const names = [...builtInImages({ directory, commands }).keys(), ...images.keys()];
    return (image) => names.some((name) => matchImage(name, image) > 0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
