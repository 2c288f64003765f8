import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Limiter } from '@turnsole/kube/base/limiter';
import type { Credentials } from './credentials.ts';
import { openRepository, type RemoteSettings } from './open-repository.ts';
import { checkedRef } from './repository-url.ts';

/** A branch or tag of a repository. */
interface RepositoryBranch {
  readonly url: string;
  readonly branch: string;
  readonly credentials: Credentials;
}

/** The memory and the time that this takes are up to the owner of a repository, so the server reads one at a time. */
const READING = new Limiter(1);

/**
 * Fetches the newest commit of a branch or tag, without its history, and packs its files into `files.zip` in a folder. Does not check
 * out the repository, so none of its files can act as a link, a hook or a filter.
 *
 * @param folder an empty folder, which the caller removes
 * @returns the path of the zip file, and the commit
 * @throws RemoteError with a message for the user · the signal's reason
 */
export async function fetchArchive(
  { url, branch, credentials }: RepositoryBranch,
  folder: string,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<{ readonly zip: string; readonly commit: string }> {
  const ref = checkedRef(branch);
  await using repository = await openRepository(url, credentials, settings, signal);
  const store = join(folder, 'repository');
  await mkdir(store, { mode: 0o700 });
  const git = (...args: string[]): Promise<string> => repository.git(store, ...args);
  await git('init', '--quiet', '--bare', '--template=');
  await git('fetch', '--quiet', '--depth=1', '--no-tags', '--', repository.url, ref);
  const zip = join(folder, 'files.zip');
  await READING.run(async () => {
    // git archive reads the whole tree into memory first, and one of some kilobytes can have millions of files. This list is cut off early.
    await git('ls-tree', '-r', '-t', '--name-only', 'FETCH_HEAD');
    await git('archive', '--format=zip', '-0', `--output=${zip}`, 'FETCH_HEAD');
  });
  const commit = (await git('rev-parse', '--verify', 'FETCH_HEAD')).trim();
  return { zip, commit };
}
