/** The pages whose commands are run, and what they print. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PrintedCommand, printedCommands } from './printed.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
export const PAGES = globSync(
  [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs/**/*.md',
    'packages/*/README.md',
    'examples/**/README.md',
  ],
  { cwd: ROOT, exclude: (path) => path.includes('node_modules') },
).toSorted();
export const PRINTED = new Map(
  PAGES.map((page) => [page, printedCommands(readFileSync(join(ROOT, page), 'utf8'))]),
);

export function commandsOf(page: string): readonly PrintedCommand[] {
  return PRINTED.get(page)?.commands ?? [];
}
