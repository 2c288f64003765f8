import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A real Git server over HTTP with one repository, `hub.git`, on a port of the loopback. */
export interface GitServer extends AsyncDisposable {
  /** Of the repository. */
  readonly url: string;
  /** Values of the header Authorization that were sent, in order. */
  readonly authorizations: readonly string[];
  /** Requests so far. */
  readonly requests: readonly string[];
  /** Writes files (null deletes one) to a branch, makes a commit of them and returns its id. */
  commit(files: Readonly<Record<string, string | null>>, options?: CommitOptions): Promise<string>;
  /** Output of git in the served repository. */
  git(...args: readonly string[]): Promise<string>;
  /** The same with this standard input. */
  gitWith(input: string, ...args: readonly string[]): Promise<string>;
}

/** How a commit is made. */
interface CommitOptions {
  /** @default main */
  readonly branch?: string;
  readonly message?: string;
  /** Symbolic links, by path. */
  readonly links?: Readonly<Record<string, string>>;
}

/** What the server asks of its clients. */
interface GitServerOptions {
  /** `user:password` that is asked for. @default none */
  readonly login?: string;
  /** Answers instead of git, where it returns true. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Awaited before git answers a request. */
  readonly before?: () => Promise<void>;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example',
};

/** Starts a server with an empty repository. */
export async function startGitServer({ login, instead, before }: GitServerOptions = {}): Promise<GitServer> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-git-'));
  const env = { ...process.env, ...IDENTITY, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = async (cwd: string, ...args: readonly string[]): Promise<string> =>
    (await run('git', args, { cwd, env })).stdout.trim();
  const [bare, work] = [join(folder, 'hub.git'), join(folder, 'work')];
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  await git(bare, 'config', 'http.receivepack', 'true');
  const authorizations: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    requests.push(`${request.method} ${request.url}`);
    if (authorization !== undefined) authorizations.push(authorization);
    if (instead?.(request, response) === true) return;
    if (login !== undefined && authorization !== `Basic ${Buffer.from(login).toString('base64')}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    void Promise.resolve(before?.()).then(() => backend(folder, request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const commit: GitServer['commit'] = async (
    files,
    { branch = 'main', message = 'a commit', links = {} } = {},
  ) => {
    await rm(work, { recursive: true, force: true });
    const known = await git(bare, 'branch', '--list', branch);
    if (known === '') await git(folder, 'init', '--quiet', `--initial-branch=${branch}`, work);
    else await git(folder, 'clone', '--quiet', '--branch', branch, bare, work);
    await writeTree(work, files, links);
    await git(work, 'add', '--all');
    await git(work, 'commit', '--quiet', '--allow-empty', '--message', message);
    await git(work, 'push', '--quiet', bare, `HEAD:refs/heads/${branch}`);
    return git(work, 'rev-parse', 'HEAD');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hub.git`,
    authorizations,
    requests,
    commit,
    git: (...args) => git(bare, ...args),
    gitWith: async (input, ...args) => {
      const running = run('git', args, { cwd: bare, env });
      running.child.stdin?.end(input);
      return (await running).stdout.trim();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeTree(
  root: string,
  files: Readonly<Record<string, string | null>>,
  links: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    await rm(target, { force: true });
    await mkdir(dirname(target), { recursive: true });
    if (content !== null) await writeFile(target, content);
  }
  for (const [path, to] of Object.entries(links)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(to, join(root, path));
  }
}

/** Git's own CGI program answers; see `git help http-backend`. */
function backend(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: request.headers['git-protocol']?.toString() ?? '',
      REMOTE_USER: 'tester',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => answer(Buffer.concat(chunks), response));
  response.on('close', () => child.kill());
}

function answer(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf('\r\n\r\n');
  const headers = new Map(
    output
      .subarray(0, Math.max(end, 0))
      .toString('latin1')
      .split('\r\n')
      .map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );
  const status = Number.parseInt(headers.get('status') ?? '200', 10);
  headers.delete('status');
  response.writeHead(end < 0 ? 500 : status, Object.fromEntries(headers)).end(output.subarray(end + 4));
}
