/** What of a project has to be looked at again after a change. */

/** What files hold, in short, by path from the root of the project. */
export type Digests = Readonly<Record<string, string>>;

/**
 * Files whose change may break a rule anywhere: rules, settings of the compiler, versions of packages, types that are there without an import,
 * and what decides here.
 */
const OF_ALL =
  /^(?:biome\.json|\.oxlintrc\.json|\.gitignore|package-lock\.json|test\/lint\/.*)$|tsconfig\.json$|\.d\.ts$/;

/** What has to be looked at. */
export interface ToLint {
  /** Files that are others now. Whether a file is well formed depends on nothing else. */
  readonly changed: readonly string[];
  /** Those, and what imports them, directly or not: some rules know types, which come from what is imported. */
  readonly affected: readonly string[];
}

/**
 * Compares files with those that were looked at when everything was right. Pure.
 *
 * @param passed those; undefined when nothing is known of them
 * @param imports the files that each file imports
 * @returns undefined when everything has to be looked at
 */
export function whatToLint(
  now: Digests,
  passed: Digests | undefined,
  imports: ReadonlyMap<string, readonly string[]>,
): ToLint | undefined {
  if (passed === undefined) return undefined;
  const different = [...new Set([...Object.keys(now), ...Object.keys(passed)])].filter(
    (file) => now[file] !== passed[file],
  );
  if (different.some((file) => OF_ALL.test(file))) return undefined;
  const importers = new Map<string, string[]>();
  for (const [file, targets] of imports) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  }
  const affected = new Set(different);
  // What is added while it is walked is walked as well.
  for (const file of affected) for (const importer of importers.get(file) ?? []) affected.add(importer);
  const isThere = (file: string): boolean => now[file] !== undefined;
  return { changed: different.filter(isThere), affected: [...affected].filter(isThere) };
}
