/** What test files come to by their imports. */
import { existsSync, readFileSync } from 'node:fs';
import { importedFile } from '../support/imported-file.ts';

/** A file as it runs. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** Packages and modules of Node that it imports itself. */
  readonly packages: readonly string[];
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`; types are gone when a file runs. */
const SPECIFIER =
  /(?:^import\s+|^(?:import|export)\s+(?!type\b)[\w*{}\s,$]*?\sfrom\s+|\bimport\()['"]([^'"]+)['"]/gm;

/** Those of some files that are so themselves, or import such a file, directly or not. */
export function reaching(files: readonly string[], isSuch: (source: Source) => boolean): string[] {
  const known = new Map<string, boolean>();
  const reaches = (file: string): boolean => {
    const answer = known.get(file);
    if (answer !== undefined) return answer;
    // No files import one another in a circle (test/architecture); this is for a while in which they do.
    known.set(file, false);
    const { imports, ...source } = readSource(file);
    const found = isSuch({ file, ...source }) || imports.some(reaches);
    known.set(file, found);
    return found;
  };
  return files.filter(reaches);
}

function readSource(file: string): Omit<Source, 'file'> & { readonly imports: readonly string[] } {
  // Data, and what is not there, import nothing.
  const text = file.endsWith('.ts') && existsSync(file) ? readFileSync(file, 'utf8') : '';
  const names = [...text.matchAll(SPECIFIER)].map(([, name = '']) => name);
  return {
    text,
    packages: names.filter((name) => importedFile(file, name) === undefined),
    imports: names.map((name) => importedFile(file, name)).filter((target) => target !== undefined),
  };
}
