/** An image of files of this machine: programs, libraries and texts in the proportions in which images have them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { digestOf, type MadeManifest, madeManifest } from '@turnsole/cluster/images/testing/made-images';

/** Folders with many files, in the order in which they are taken. */
const PLACES = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/share',
  '/usr/bin',
  '/usr/lib',
];

/**
 * @param megabytes of compressed layers, about
 * @returns the image, and its layers compressed
 */
export function layersOfMachine(
  folder: string,
  megabytes: number,
  layers: number,
): { readonly image: MadeManifest; readonly blobs: readonly Buffer[] } {
  mkdirSync(folder, { recursive: true });
  const wanted = (megabytes * 1e6) / layers;
  const names = PLACES.flatMap((place) => namesIn(place));
  const made: { tar: Buffer; diffId: string }[] = [];
  const blobs: Buffer[] = [];
  for (let index = 0; index < layers; index += 1) {
    const file = join(folder, 'layer.tar');
    // Every file of this machine stands in one layer: those of layer i are each `layers`th of the list, until there is enough.
    const own = names.filter((_, position) => position % layers === index);
    // Files of a system shrink to two fifths, about.
    const taken = firstBytes(own, wanted * 2.5);
    execFileSync('tar', ['-C', '/', '-cf', file, '--no-recursion', '-T', '-'], { input: taken.join('\n') });
    const tar = readFileSync(file);
    const blob = gzipSync(tar, { level: 6 });
    made.push({ tar, diffId: digestOf(tar) });
    blobs.push(blob);
    rmSync(file);
  }
  const compressed = new Map(made.map(({ tar }, index) => [tar, blobs[index] ?? Buffer.alloc(0)]));
  return {
    image: madeManifest({ layers: made, compress: (tar) => compressed.get(tar) ?? gzipSync(tar) }),
    blobs,
  };
}

/** The first of some files, until they have so many bytes together. */
function firstBytes(names: readonly string[], bytes: number): string[] {
  let left = bytes;
  return names.filter((name) => {
    if (left <= 0) return false;
    left -= statSync(`/${name}`).size;
    return true;
  });
}

/** Files below a folder, without links and very large ones, relative to the root; none where there is no such folder. */
function namesIn(place: string): string[] {
  if (!existsSync(place)) return [];
  const found = execFileSync('find', [place, '-type', 'f', '-size', '-30M'], { maxBuffer: 2 ** 28 });
  return found
    .toString()
    .trim()
    .split('\n')
    .map((path) => path.slice(1));
}
