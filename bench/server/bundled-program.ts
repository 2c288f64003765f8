import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from '../../build/bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Bundles the command as the image has it. @returns path of its program below `folder` */
export async function bundledProgram(folder: string): Promise<string> {
  await bundle(ROOT, join(folder, 'dist'));
  for (const name of ['bin', 'package.json', 'deploy'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  return join(folder, 'bin', 'turnsole.js');
}
