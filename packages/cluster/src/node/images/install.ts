import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commandLine } from '@turnsole/kube/text/shell';
import type { ImageEntry, InstalledImage } from './image-entry.ts';

/** Where programs of images are, in the folder of all images' files. */
const PROGRAMS = 'programs';

/**
 * Writes the programs of images: each image has a folder, and in it one for each folder of the image that holds any.
 *
 * @param directory of the files of all images of a cluster; made when missing
 */
export function installImages(
  directory: string,
  images: ReadonlyMap<string, ImageEntry>,
): ReadonlyMap<string, InstalledImage> {
  return new Map(
    [...images].map(([name, image]) => {
      const { programs, ...others } = image;
      if (programs === undefined) return [name, others];
      return [name, { ...others, ...install(join(directory, PROGRAMS, fileName(name)), image, programs) }];
    }),
  );
}

function install(
  directory: string,
  { workingDir }: ImageEntry,
  programs: NonNullable<ImageEntry['programs']>,
): Pick<InstalledImage, 'programs' | 'workingDir'> {
  const folderOf = (path: string): string => join(directory, fileName(dirname(path)));
  const files = Object.entries(programs).map(([path, command]) => {
    const file = join(folderOf(path), basename(path));
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeProgram(file, `exec ${commandLine(command)} "$@"\n`);
    return [path, file] as const;
  });
  const ofProgram = Object.keys(programs).find((path) => dirname(path) === workingDir);
  return {
    programs: Object.fromEntries(files),
    ...(ofProgram !== undefined && { workingDir: folderOf(ofProgram) }),
  };
}

/** Names of images and folders have slashes and colons. */
function fileName(name: string): string {
  return name.replace(/^\/|[^\w.-]+$/g, '').replace(/[^\w.-]+/g, '-');
}

/** Writes a shell program that every user may run, whatever the umask. */
export function writeProgram(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
}
