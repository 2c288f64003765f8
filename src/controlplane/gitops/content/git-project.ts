import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Credentials,
  checkedRef,
  openRepository,
  RemoteError,
  type RemoteSettings,
  TooLateError,
} from '../../remote/index.ts';

/** The branch of a repository with a project's experiments. */
export interface GitBranch {
  readonly url: string;
  readonly branch: string;
  readonly credentials: Credentials;
}

/** A change of the repository, for one commit. */
export interface GitCommit {
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Content by path; null deletes. */
  readonly files: ReadonlyMap<string, string | null>;
}

/** A branch as it was fetched. */
export interface OpenBranch extends AsyncDisposable {
  /** The commit; undefined for a branch that does not exist yet. */
  readonly head: string | undefined;
  /** Files below the folder of the project, by path: the ids of their contents. */
  readonly files: ReadonlyMap<string, string>;
  /** The content with this id. */
  content(id: string): Promise<string>;
  /**
   * Adds commits to the branch. @returns the last of them
   * @throws TooLateError if another push was faster; then nothing has changed
   */
  push(commits: readonly GitCommit[]): Promise<string>;
}

/** Files of a project that are read, bytes of one of them, and bytes of all YAML files, which a pass holds at the same time. */
const MOST_FILES = 2_000;
const MOST_FILE_BYTES = 1024 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;

/** Whether a file can contain experiments; the content of others is not read. Pure. */
export function isYaml(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

/**
 * Fetches a branch without its history. Files are read and written in git's own store: nothing is checked out.
 *
 * @param folder of the project in the repository
 * @throws RemoteError if it cannot be fetched
 */
export async function openBranch(
  { url, branch, credentials }: GitBranch,
  folder: string,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<OpenBranch> {
  const ref = `refs/heads/${checkedRef(branch)}`;
  const repository = await openRepository(url, credentials, settings, signal);
  const store = await mkdtemp(join(settings.folder, '.sync-'));
  const dispose = async (): Promise<void> => {
    await rm(store, { recursive: true, force: true });
    await repository[Symbol.asyncDispose]();
  };
  const git = (...args: string[]): Promise<string> => repository.git(store, ...args);
  try {
    await git('init', '--quiet', '--bare', '--template=');
    const head = await fetched(git, repository.url, ref);
    const files =
      head === undefined
        ? new Map<string, string>()
        : filesOf(await git('ls-tree', '-r', '-z', '-l', head, '--', folder));
    return {
      head,
      files,
      content: (id) => git('cat-file', 'blob', id),
      push: async (commits) => {
        let last = head;
        for (const commit of commits) last = await commitOn(last, commit);
        await git('push', '--quiet', '--', repository.url, `${last}:${ref}`).catch(asTooLate);
        return last ?? '';
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }

  /** @returns the new commit */
  async function commitOn(
    parent: string | undefined,
    { message, author, files: changed }: GitCommit,
  ): Promise<string> {
    // The index is a file of this commit alone.
    const env = { GIT_INDEX_FILE: join(store, 'index'), ...identityOf(author) };
    const run = (input: string, ...args: string[]): Promise<string> =>
      repository.gitWith(store, { env, input }, ...args);
    await run('', 'read-tree', ...(parent === undefined ? ['--empty'] : [parent]));
    const lines: string[] = [];
    for (const [path, content] of changed) {
      const id =
        content === null ? '0'.repeat(40) : (await run(content, 'hash-object', '-w', '--stdin')).trim();
      lines.push(`${content === null ? '0' : '100644'} ${id}\t${path}\0`);
    }
    await run(lines.join(''), 'update-index', '-z', '--index-info');
    const tree = (await run('', 'write-tree')).trim();
    return (await run(message, 'commit-tree', tree, ...(parent === undefined ? [] : ['-p', parent]))).trim();
  }
}

/** The commit of a branch, without fetching it; undefined for a missing branch. @throws RemoteError if the server cannot be read */
export async function branchHead(
  { url, branch, credentials }: GitBranch,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ref = `refs/heads/${checkedRef(branch)}`;
  await using repository = await openRepository(url, credentials, settings, signal);
  const listed = await repository.git(settings.folder, 'ls-remote', '--quiet', '--', repository.url, ref);
  return listed.split('\t')[0]?.trim() || undefined;
}

/** Git reports it in its output only. */
function asTooLate(error: unknown): never {
  const isLate =
    error instanceof RemoteError &&
    /fetch first|non-fast-forward|stale info|cannot lock ref|\[remote rejected\].*lock/.test(error.message);
  throw isLate ? new TooLateError(error.message, { cause: error }) : error;
}

async function fetched(
  git: (...args: string[]) => Promise<string>,
  url: string,
  ref: string,
): Promise<string | undefined> {
  // Also for an empty repository, which has no branch to fetch.
  const listed = await git('ls-remote', '--quiet', '--', url, ref);
  if (listed.trim() === '') return undefined;
  await git('fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ref);
  return (await git('rev-parse', '--verify', 'FETCH_HEAD')).trim();
}

/** Regular files. @throws RemoteError if they are too many, or too large */
function filesOf(listing: string): Map<string, string> {
  const files = new Map<string, string>();
  let bytes = 0;
  for (const line of listing.split('\0')) {
    const [, mode = '', id = '', size = '', path = ''] =
      /^(\d+) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    if (!mode.startsWith('100')) continue;
    if (Number(size) > MOST_FILE_BYTES)
      throw new RemoteError(`${path} is larger than ${MOST_FILE_BYTES} bytes`);
    if (isYaml(path)) bytes += Number(size);
    files.set(path, id);
  }
  if (files.size > MOST_FILES)
    throw new RemoteError(
      `the repository has ${files.size} files for this project; at most ${MOST_FILES} are read`,
    );
  if (bytes > MOST_BYTES)
    throw new RemoteError(
      `the YAML files of this project have ${bytes} bytes together; at most ${MOST_BYTES} are read: split the project or remove files`,
    );
  return files;
}

function identityOf({ name, email }: GitCommit['author']): Readonly<Record<string, string>> {
  // Characters that would end a line of a commit's header.
  const clean = (text: string): string => text.replace(/[<>\n\r\0]/g, '') || 'unknown';
  return {
    GIT_AUTHOR_NAME: clean(name),
    GIT_AUTHOR_EMAIL: clean(email),
    GIT_COMMITTER_NAME: clean(name),
    GIT_COMMITTER_EMAIL: clean(email),
  };
}
