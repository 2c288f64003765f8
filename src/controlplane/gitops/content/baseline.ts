import { type GitDocument, type GitProblem, hashesOf } from './documents.ts';

/**
 * What a repository held when it was connected: hashes of its documents, and paths of the files that could not be read. A document of it is no
 * news, however late it is imported: its infrastructure may have been away, its probe missing, its name refused, its file unreadable.
 */
export interface Baseline {
  readonly documents: readonly string[];
  readonly unreadable: readonly string[];
}

/** The baseline of a repository with these files. Pure. */
export function baselineOf(texts: ReadonlyMap<string, string>, problems: readonly GitProblem[]): Baseline {
  return {
    documents: [...texts.values()].flatMap(hashesOf),
    unreadable: [...new Set(problems.map(({ path }) => path))],
  };
}

/** Whether a document came by a commit after the repository was connected. Pure. */
export function isNews({ documents, unreadable }: Baseline, { hash, path }: GitDocument): boolean {
  return !documents.includes(hash) && !unreadable.includes(path);
}
