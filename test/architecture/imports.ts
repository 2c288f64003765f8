import { existsSync, globSync, readFileSync } from 'node:fs';
import { importedFile } from '../support/imported-file.ts';

/** Files of production code that import one another, from the root of the project. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** `from './x.ts'`, `import './x.ts'`, `import('./x.ts')`, also of types, and the same of packages. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\s]+)['"]/g;

/** Reads what each file below a folder imports, but for tests and what only they use (`testing/`). */
export function readImports(folder = 'src'): ImportGraph {
  const files = globSync(`${folder}/**/*.ts`).filter((file) => !isOfTests(file));
  return new Map(files.toSorted().map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]));
}

/** A text that is written into a file, such as the scaffold of a fault: what it imports is not imported here. */
export const WRITTEN_FILE = /`(?:\$\{\w+\})?import .*?;\n`/gs;

/** The files that a text imports, of those that there are. */
export function importsOf(file: string, text: string): string[] {
  const targets = [...text.replace(WRITTEN_FILE, '').matchAll(SPECIFIER)].map(([, specifier = '']) =>
    importedFile(file, specifier),
  );
  return [...new Set(targets)]
    .filter((target) => target !== undefined)
    .filter((target) => target !== file && existsSync(target));
}

/** Whether a file is a test or serves tests only. */
export function isOfTests(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/testing/') || file.startsWith('test/');
}

/** The room of a file of `src`, by the rooms there are, or the package of a file of one; undefined for a file that stands in none. */
export function roomOf(file: string, rooms: readonly string[]): string | undefined {
  const [, ofPackage] = /^packages\/([a-z-]+)\//.exec(file) ?? [];
  return ofPackage ?? rooms.find((room) => file.startsWith(`src/${room}/`));
}

/**
 * Groups of files that import one another in a circle, each sorted; empty where there is none. Pure.
 * Source: Tarjan, Depth-first search and linear graph algorithms (1972).
 */
export function circlesOf(graph: ImportGraph): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): number => {
    const place = order.size;
    order.set(file, place);
    lowest.set(file, place);
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      const reached = order.has(next) ? (path.includes(next) ? order.get(next) : undefined) : visit(next);
      lowest.set(file, Math.min(lowest.get(file) ?? place, reached ?? place));
    }
    const low = lowest.get(file) ?? place;
    if (low === place) {
      const circle = path.splice(path.indexOf(file));
      if (circle.length > 1) found.push(circle.toSorted());
    }
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}
