import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@turnsole/kube/text/environment';
import { type Credentials, explained, withoutSecrets } from './credentials.ts';
import { gitEnvironment } from './git-environment.ts';
import { checkedAddress, type Reach } from './reach.ts';
import { RemoteError } from './remote-error.ts';
import { parseRepositoryUrl } from './repository-url.ts';
import { runGit } from './run-git.ts';

/** The server's settings for requests to repositories. */
export interface RemoteSettings {
  readonly reach: Reach;
  /** Folder of this server for the keys of ssh hosts and temporary files. */
  readonly folder: string;
  /** Largest pack or file, in bytes. */
  readonly mostBytes: number;
  /** Time limit of one exchange with a repository, in milliseconds. */
  readonly timeoutMs: number;
  readonly machine: Environment;
}

/** Further options of a run of git. */
interface GitOptions {
  readonly input?: string;
  readonly env?: Environment;
}

/** A repository, ready for requests. */
interface OpenRepository extends AsyncDisposable {
  /** The address for git. */
  readonly url: string;
  /** Runs git in a folder; its errors contain no secrets. */
  git(folder: string, ...args: readonly string[]): Promise<string>;
  /** The same with input and further variables. */
  gitWith(folder: string, options: GitOptions, ...args: readonly string[]): Promise<string>;
}

/**
 * Checks the address of a repository and prepares git for it: a home without settings, and a file for the key. Both are deleted at the end
 * of the scope.
 *
 * @throws RemoteError if the address is invalid or not allowed
 */
export async function openRepository(
  url: string,
  credentials: Credentials,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<OpenRepository> {
  const repository = parseRepositoryUrl(url);
  const address = await checkedAddress(repository.host, settings.reach);
  const home = await mkdtemp(join(settings.folder, '.git-'));
  const keyFile = join(home, 'key');
  if (credentials.kind === 'ssh') {
    await writeFile(keyFile, `${credentials.privateKey.trim()}\n`, { mode: 0o600 });
  }
  const knownHosts = join(settings.folder, 'known_hosts');
  const env = gitEnvironment({
    repository,
    address,
    credentials,
    home,
    keyFile,
    knownHosts,
    machine: settings.machine,
  });
  const { mostBytes, timeoutMs } = settings;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const gitWith: OpenRepository['gitWith'] = async (folder, options, ...args) => {
    try {
      const run = { env: { ...env, ...options.env }, input: options.input, folder, mostBytes, signal: limit };
      return await runGit(args, run);
    } catch (error) {
      throw withoutCredentials(error, credentials, timeoutMs, signal);
    }
  };
  return {
    url: repository.url,
    git: (folder, ...args) => gitWith(folder, {}, ...args),
    gitWith,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

function withoutCredentials(
  error: unknown,
  credentials: Credentials,
  timeoutMs: number,
  signal: AbortSignal,
): unknown {
  if (error instanceof RemoteError) {
    return new RemoteError(withoutSecrets(explained(error.message, credentials), credentials));
  }
  const isTimeout = error instanceof Error && error.name === 'TimeoutError' && !signal.aborted;
  return isTimeout
    ? new RemoteError(`the repository did not answer within ${timeoutMs / 1000} seconds`)
    : error;
}
