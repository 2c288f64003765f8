import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from '../../programs.ts';
import { type ArtifactStore, NotPossibleError, type ReadSecret } from '../store.ts';
import { basicOf, type Fields, secretOf } from './secret-fields.ts';

/** Transports that name no program and no file of this machine. */
const PROTOCOLS = 'http:https:ssh:git';

/** A repository of git: its key is its URL. Only inputs come from it. */
export class GitStore implements ArtifactStore {
  readonly name = 'git';
  readonly #fields: Fields;
  readonly #readSecret: ReadSecret;

  constructor(fields: Fields, readSecret: ReadSecret) {
    this.#fields = fields;
    this.#readSecret = readSecret;
  }

  async fetch(repo: string, path: string, signal: AbortSignal): Promise<boolean> {
    // Beside the target, as nothing else may be writable.
    const folder = await mkdtemp(join(dirname(path), '.git-'));
    try {
      const env = await this.#environment(repo, folder);
      const git = (...args: string[]): Promise<string> => runProgram('git', args, { env, signal });
      for (const args of cloneSteps(this.#fields, repo, path)) await git(...args);
      await this.#checkout((...args) => git('-C', path, ...args));
      return (await stat(path)).isDirectory();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  store(_path: string, repo: string): Promise<void> {
    return Promise.reject(new NotPossibleError(`${repo}: outputs cannot be stored in git`));
  }

  list(repo: string): Promise<string[]> {
    return Promise.reject(new NotPossibleError(`${repo}: a repository of git has no keys to list`));
  }

  remove(repo: string): Promise<void> {
    return Promise.reject(new NotPossibleError(`${repo}: nothing is taken out of git`));
  }

  /** Any branch, tag or commit; a server that does not give single commits has given them with its branches. */
  async #checkout(git: (...args: string[]) => Promise<string>): Promise<void> {
    const { revision, disableSubmodules } = this.#fields;
    const depth = depthOf(this.#fields);
    if (isText(revision)) {
      const name = checkedName('revision', revision);
      try {
        await git('fetch', '--quiet', ...depth, 'origin', name);
        await git('checkout', '--quiet', 'FETCH_HEAD');
      } catch (cause) {
        await git('checkout', '--quiet', name, '--').catch(() => Promise.reject(cause));
      }
    }
    if (disableSubmodules !== true)
      await git('submodule', '--quiet', 'update', '--init', '--recursive', ...depth);
  }

  /** Credentials go by the environment and files that only this user reads, and are not left in the repository. */
  async #environment(repo: string, folder: string): Promise<NodeJS.ProcessEnv> {
    const { insecureIgnoreHostKey, insecureSkipTLS } = this.#fields;
    const settings: [string, string][] = [['safe.directory', '*']];
    const basic = await basicOf(this.#fields, this.#readSecret);
    if (basic !== undefined) settings.push([`http.${originOf(repo)}.extraHeader`, `Authorization: ${basic}`]);
    if (insecureSkipTLS === true) settings.push(['http.sslVerify', 'false']);
    return {
      ...process.env,
      HOME: folder,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: PROTOCOLS,
      GIT_SSH_COMMAND: await this.#ssh(folder, insecureIgnoreHostKey === true),
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(
        settings.flatMap(([name, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, name],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
    };
  }

  async #ssh(folder: string, anyHost: boolean): Promise<string> {
    const options = ['-o', 'BatchMode=yes'];
    const key = await secretOf(this.#fields, 'sshPrivateKeySecret', this.#readSecret);
    if (key !== undefined) {
      const file = join(folder, 'key');
      await writeFile(file, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
      options.push('-i', `'${file}'`, '-o', 'IdentitiesOnly=yes');
    }
    if (anyHost) options.push('-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null');
    return ['ssh', ...options].join(' ');
  }
}

/** The commands that bring a repository, but for its revision. Pure. */
export function cloneSteps(fields: Fields, repo: string, path: string): string[][] {
  const { branch, singleBranch, fetch } = fields;
  const depth = depthOf(fields);
  if (repo.startsWith('-')) throw new NotPossibleError(`${repo} is no URL of a repository`);
  const refs = (Array.isArray(fetch) ? fetch : []).map((ref) => checkedName('fetch', String(ref)));
  return [
    [
      'clone',
      '--quiet',
      ...depth,
      ...(isText(branch) ? ['--branch', checkedName('branch', branch)] : []),
      ...(singleBranch === true ? ['--single-branch'] : []),
      '--',
      repo,
      path,
    ],
    ...(refs.length > 0 ? [['-C', path, 'fetch', '--quiet', ...depth, 'origin', ...refs]] : []),
  ];
}

function depthOf({ depth }: Fields): string[] {
  return Number(depth ?? 0) > 0 ? ['--depth', String(depth)] : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A name that git would take for an option is none. */
function checkedName(field: string, name: string): string {
  if (name.startsWith('-')) throw new NotPossibleError(`git.${field}: ${name} is no name of git`);
  return name;
}

function originOf(repo: string): string {
  return URL.canParse(repo) ? new URL(repo).origin : repo;
}
