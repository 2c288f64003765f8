import type { Stats } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import type { Volume } from '../../../api/core.ts';

/**
 * Checks, and for the `…OrCreate` types makes, what a hostPath volume points to; gives its path.
 *
 * @throws Error with kubelet's sentence when the path is not of the wanted type
 */
export async function prepareHostPath({ path, type = '' }: NonNullable<Volume['hostPath']>): Promise<string> {
  if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
  if (type === 'FileOrCreate') await (await open(path, 'a', 0o644)).close();
  const found = await stat(path).catch(() => undefined);
  const expected = EXPECTED[type];
  if (expected === undefined) return path; // no check asked for
  if (found === undefined || !expected.test(found)) {
    throw new Error(`hostPath type check failed: ${path} is not a ${expected.word}`);
  }
  return path;
}

const directory = { word: 'directory', test: (found: Stats): boolean => found.isDirectory() };
const file = { word: 'file', test: (found: Stats): boolean => found.isFile() };
const EXPECTED: Readonly<Record<string, { word: string; test: (found: Stats) => boolean }>> = {
  Directory: directory,
  DirectoryOrCreate: directory,
  File: file,
  FileOrCreate: file,
  Socket: { word: 'socket file', test: (found) => found.isSocket() },
  CharDevice: { word: 'character device', test: (found) => found.isCharacterDevice() },
  BlockDevice: { word: 'block device', test: (found) => found.isBlockDevice() },
};
