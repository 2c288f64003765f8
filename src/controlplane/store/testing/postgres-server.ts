import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Where Debian's packages put the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';
/** Whom PostgreSQL runs as where the tests run as root, which it refuses. */
const ORDINARY_USERS = ['postgres', 'nobody'];
const START_MS = 60_000;
/** Set by a runner of many files that has started one server for all of them. */
export const SHARED_POSTGRES = 'TURNSOLE_TEST_POSTGRES';

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  /** Address of its database `postgres`, for its administrator. */
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** Folder of the programs of the newest PostgreSQL on this machine; undefined: none. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(a) - Number(b));
  return versions
    .map((version) => join(DEBIAN, version, 'bin'))
    .findLast((bin) => existsSync(join(bin, 'initdb')));
}

let started: Promise<PostgresServer> | undefined;

/** The server that all tests of this process use: the runner's, else one that ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  const url = process.env[SHARED_POSTGRES];
  started ??=
    url === undefined ? startPostgres() : Promise.resolve({ url, pid: undefined, stop: async () => {} });
  return started;
}

/**
 * A new server with an empty database, on a Unix socket, that ends with this process however it ends.
 *
 * @param settings of postgresql.conf; by default it syncs nothing, as it does not outlive the tests
 * @param folder an existing one of an earlier server, to start it again
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = { fsync: 'off' },
  folder?: string,
): Promise<PostgresServer & { readonly folder: string }> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const owner = ordinaryUser();
  const home = folder ?? (await initialise(bin, owner));
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(bin, 'postgres'), '-D', join(home, 'data'), '-k', home, '-h', '', ...options];
  // The kernel ends it when this process is killed.
  const [program = '', ...args] = ['setpriv', '--pdeathsig', 'QUIT', ...asUser(owner), ...command];
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: home });
  const end = (): boolean => server.kill('SIGQUIT');
  process.once('exit', end);
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await ready(server.stderr, gone);
  server.unref();
  return {
    url: `postgres:///postgres?host=${encodeURIComponent(home)}&user=turnsole`,
    pid: server.pid,
    folder: home,
    stop: async () => {
      process.off('exit', end);
      server.ref();
      end();
      await gone;
    },
  };
}

async function initialise(bin: string, owner: Owner | undefined): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'turnsole-postgres-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  if (owner !== undefined) chownSync(home, owner.uid, owner.gid);
  const initdb = [
    join(bin, 'initdb'),
    '-D',
    join(home, 'data'),
    '-U',
    'turnsole',
    '--auth=trust',
    '--no-sync',
  ];
  const [program = '', ...args] = ['setpriv', ...asUser(owner), ...initdb, '--encoding=UTF8', '--locale=C'];
  await promisify(execFile)(program, args, { cwd: home });
  return home;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function ordinaryUser(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ORDINARY_USERS) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${ORDINARY_USERS.join(' or ')}`);
}

function asUser(owner: Owner | undefined): readonly string[] {
  return owner === undefined ? [] : ['--reuid', `${owner.uid}`, '--regid', `${owner.gid}`, '--clear-groups'];
}

/** Waits for the server's word that it takes connections. */
async function ready(log: NodeJS.ReadableStream, gone: Promise<void>): Promise<void> {
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error(`not ready after ${START_MS} ms`)), START_MS);
  createInterface({ input: log }).on('line', (line) => {
    if (said.length < 100) said.push(line);
    if (line.includes('database system is ready to accept connections')) resolve();
  });
  void gone.then(() => reject(new Error('it ended')));
  try {
    await promise;
  } catch (error) {
    throw new Error(`PostgreSQL did not start; it said:\n${said.join('\n')}`, { cause: error });
  } finally {
    clearTimeout(late);
    (log as NodeJS.ReadableStream & { unref?: () => void }).unref?.();
  }
}
