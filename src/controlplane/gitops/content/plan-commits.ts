import type { Agreed } from './decide-sync.ts';
import { hashOf, withDocument } from './documents.ts';
import type { GitCommit } from './git-project.ts';

/** A document to write or delete. */
export interface DocumentChange {
  readonly experimentID: string;
  /** Its place; undefined for a new document. */
  readonly place: Pick<Agreed, 'path' | 'name'> | undefined;
  /** Undefined: it is deleted. */
  readonly document:
    | { readonly name: string; readonly text: string; readonly revisionID: string }
    | undefined;
  readonly message: string;
  readonly author: GitCommit['author'];
}

/** Commits, and the agreed state after their push. */
interface CommitPlan {
  readonly commits: readonly GitCommit[];
  readonly written: readonly Agreed[];
  /** Ids of the experiments whose documents are deleted. */
  readonly erased: readonly string[];
}

/**
 * Commits that bring documents into a folder, one for each message in turn. Documents beside them stay as they are. Pure.
 *
 * @param files texts of the files with the changed documents, by path
 * @param taken paths that are in use
 */
export function planCommits(
  folder: string,
  files: ReadonlyMap<string, string>,
  taken: Iterable<string>,
  changes: readonly DocumentChange[],
): CommitPlan {
  const now = new Map(files);
  const paths = new Set([...taken].map((path) => path.toLowerCase()));
  const commits: { message: string; author: GitCommit['author']; files: Map<string, string | null> }[] = [];
  const written: Agreed[] = [];
  const erased: string[] = [];
  for (const { experimentID, place, document, message, author } of changes) {
    const path = place?.path ?? freePath(folder, document?.name ?? '', experimentID, paths);
    paths.add(path.toLowerCase());
    const text = withDocument(now.get(path), path, place?.name ?? '', document?.text);
    if (text === undefined) now.delete(path);
    else now.set(path, text);
    const last = commits.at(-1);
    const commit =
      last?.message === message && last.author.name === author.name
        ? last
        : { message, author, files: new Map() };
    if (commit !== last) commits.push(commit);
    commit.files.set(path, text ?? null);
    if (document === undefined) erased.push(experimentID);
    else
      written.push({
        experimentID,
        path,
        name: document.name,
        hash: hashOf(document.text),
        revisionID: document.revisionID,
      });
  }
  return { commits, written, erased };
}

/** A file named after the experiment, or after its id if the name is no file name or in use. */
function freePath(folder: string, name: string, id: string, taken: ReadonlySet<string>): string {
  const isName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,200}[A-Za-z0-9])?$/.test(name);
  const path = `${folder}/${isName ? name : safe(id)}.yaml`;
  return taken.has(path.toLowerCase()) ? `${folder}/${isName ? `${name}-` : ''}${safe(id)}.yaml` : path;
}

/** Ids may be chosen by clients. */
function safe(id: string): string {
  return id.replace(/[^A-Za-z0-9-]/g, '_').slice(0, 100);
}
