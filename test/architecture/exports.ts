import { globSync, readFileSync } from 'node:fs';
import { importedFile } from '../support/imported-file.ts';
import { isOfTests, WRITTEN_FILE } from './imports.ts';

/** A name that a file exports. */
export interface ExportedName {
  readonly file: string;
  readonly name: string;
}

/** Source texts by path from the root of the project. */
export type Sources = ReadonlyMap<string, string>;

/** All code of the project, production and tests. */
export function readSources(): Sources {
  const files = globSync(['{packages,src,web,test,bench,build,examples}/**/*.{ts,tsx}', 'bin/*.js'], {
    exclude: ['**/node_modules/**', 'packages/*/dist/**'],
  }).toSorted();
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/**
 * The exports of `src` and `web` that should not be there. Pure.
 *
 * - `unused`: no other file imports it. What only its own file uses is not exported, and what nothing uses is deleted.
 * - `forTestsOnly`: only tests import it, and its own file does not use it either: production code that no program needs. What its
 *   file uses may be exported for a test of its own; index files are faces for tests as well.
 */
export function needlessExports(sources: Sources): {
  readonly unused: readonly ExportedName[];
  readonly forTestsOnly: readonly ExportedName[];
} {
  const importers = importersOf(sources);
  const exported = [...sources].flatMap(([file, text]) =>
    /^(?:packages|src|web)\//.test(file) && !isFace(file) && !isOfTests(file)
      ? exportsOf(text).map((name) => ({ file, name }))
      : [],
  );
  const importersOfName = ({ file, name }: ExportedName): readonly string[] =>
    importers.get(keyOf(file, name)) ?? [];
  const isUsedAtHome = ({ file, name }: ExportedName): boolean =>
    name === 'default' || file.endsWith('/index.ts') || usesOf(sources.get(file) ?? '', name) > 1;
  return {
    unused: exported.filter((one) => importersOfName(one).length === 0),
    forTestsOnly: exported.filter((one) => {
      const files = importersOfName(one);
      return files.length > 0 && files.every(isOfTests) && !isUsedAtHome(one);
    }),
  };
}

/** What a package offers to programs that are not here, and shows them. */
function isFace(file: string): boolean {
  return /^packages\/[a-z-]+\/(?:src\/(?:index|testing)\.ts$|examples\/)/.test(file);
}

const DECLARED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;

/** Names that a text exports, `default` for its default. Pure. */
export function exportsOf(text: string): string[] {
  const code = text.replace(WRITTEN_FILE, '');
  const declared = [...code.matchAll(DECLARED)].map(([, name = '']) => name);
  const listed = [...code.matchAll(LISTED)].flatMap(([, list = '']) =>
    namesOf(list).map(({ after }) => after),
  );
  const byDefault = /^export default /m.test(code) ? ['default'] : [];
  // Overloads of a function declare its name several times.
  return [...new Set([...declared, ...listed, ...byDefault])];
}

const STATIC = /\b(?:import|export)\s+(?:type\s+)?([\w*{][^;'"]*?)\s*\bfrom\s*['"]([^'"]+)['"]/g;
/** A file that is loaded late, directly or by its URL. */
const DYNAMIC = /\b(?:import|new URL)\(\s*['"]([^'"]+)['"]\s*(?:,\s*(?:import\.meta\.url)?\s*)?\)/g;

/** Which files import a name, by file and name. */
function importersOf(sources: Sources): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  const exportsByFile = new Map([...sources].map(([file, text]) => [file, exportsOf(text)]));
  for (const [file, text] of sources) {
    const note = (specifier: string, names: (exported: readonly string[]) => readonly string[]): void => {
      const target = importedFile(file, specifier);
      if (target === undefined) return;
      for (const name of names(exportsByFile.get(target) ?? [])) {
        const key = keyOf(target, name);
        importers.set(key, [...(importers.get(key) ?? []), file]);
      }
    };
    for (const [, clause = '', specifier = ''] of text.matchAll(STATIC)) {
      note(specifier, (exported) => (clause.includes('*') ? exported : importedNames(clause)));
    }
    // Of a file that is loaded late, what the text names is taken for imported.
    const words = text.replace(DYNAMIC, '');
    for (const [, specifier = ''] of text.matchAll(DYNAMIC)) {
      note(specifier, (exported) =>
        exported.filter((name) => name === 'default' || new RegExp(`\\b${name}\\b`).test(words)),
      );
    }
  }
  return importers;
}

/** Names that `A, { b, type c as d }` takes from a file. */
function importedNames(clause: string): string[] {
  const [, byDefault, list = ''] = /^(\w+)?(?:\s*,)?\s*(?:\{([^}]*)\})?/.exec(clause) ?? [];
  return [...(byDefault === undefined ? [] : ['default']), ...namesOf(list).map(({ before }) => before)];
}

/** The names of `a, type b as c`: before and after `as`. */
function namesOf(list: string): { readonly before: string; readonly after: string }[] {
  const words = list.split(',').map((part) => part.trim().replace(/^type /, ''));
  return words
    .filter((part) => part !== '')
    .map((part) => {
      const [before = '', after = before] = part.split(' as ');
      return { before, after };
    });
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** How often a text names something, outside of comments. */
function usesOf(text: string, name: string): number {
  return (
    text.replace(COMMENT, '').match(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}\\b`, 'g'))?.length ?? 0
  );
}

function keyOf(file: string, name: string): string {
  return `${file} ${name}`;
}
