/** Program: compiles every module of `packages` and `src` that does nothing when it is loaded. Programs and generators begin to work at once. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAM = /(?:main|generate)\.ts$/;

for (const file of globSync(['packages/*/src/**/*.ts', 'src/**/*.ts']).toSorted()) {
  if (!PROGRAM.test(file) && !file.endsWith('.test.ts')) await import(pathToFileURL(resolve(file)).href);
}
