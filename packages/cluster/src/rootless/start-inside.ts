/** The side outside: starts a process in namespaces of its own, of which it is root, and has it serve a cluster. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { delimiter } from 'node:path';
import { findProgram, readOrEmpty } from '@turnsole/kube/base/machine';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Order, Outward, Report } from './messages.ts';
import { readNamespaceSettings } from './namespace-settings.ts';
import { connectOutward } from './outward.ts';
import { hasSubIds, type UserName } from './sub-ids.ts';
import { explainRefusal } from './why-not.ts';

/** How a process inside is started. */
interface InsideOptions<Options> {
  /** The words that run a program which calls `serveInside`. */
  readonly program: readonly string[];
  /** Plain data, for the program. */
  readonly options: Options;
  readonly onProblem: (message: string) => void;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

/** A cluster that is served inside. */
interface InsideCluster<Facts> {
  readonly facts: Facts;
  readonly outward: Outward;
  /** Resolves, with how, when its process has ended although nobody closed it. */
  readonly lost: Promise<string>;
  /** Has the process inside do something. @throws what it says · Error when it ends · the signal's reason */
  call(
    argument: unknown,
    onProgress: ((text: string) => void) | undefined,
    signal: AbortSignal | undefined,
  ): Promise<unknown>;
  /** Idempotent. Resolves when the process has ended, and nothing of the cluster is there. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** The cluster, or why this user cannot be root of namespaces that pods can live in. */
type InsideOutcome<Facts> = InsideCluster<Facts> | { readonly missing: string };

/** Programs that take the machine's network and users apart are not on every user's PATH. */
const ADMIN_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
/** What the shell inside says when it is root there. */
const ENTERED = 'entered';

/**
 * Starts a cluster in namespaces of its own: user, network, mount. Everything that the process inside starts lives in them too.
 *
 * @throws what the cluster's own start throws · the signal's reason
 */
export async function startInside<Options, Facts>(
  options: InsideOptions<Options>,
): Promise<InsideOutcome<Facts>> {
  const env = { ...process.env, PATH: withAdminFolders(process.env['PATH'] ?? '') };
  const user = thisUser();
  const tools = ['newuidmap', 'newgidmap'].every((name) => findProgram(name, env.PATH) !== undefined);
  const files = ['/etc/subuid', '/etc/subgid'].map(readOrEmpty);
  const ways = tools && files.every((text) => hasSubIds(text, user)) ? ['--map-auto', ''] : [''];
  let said = '';
  for (const way of ways) {
    const child = enter(way === '' ? [] : [way], options.program, env);
    const entered = await hasEntered(child);
    if (entered === undefined) return followed(child, options, env);
    said = entered;
  }
  return { missing: explainRefusal(said, readNamespaceSettings()) };
}

/** PATH with the folders of administrators' programs at its end; pure. */
export function withAdminFolders(path: string): string {
  const has = path.split(delimiter);
  return [...has, ...ADMIN_FOLDERS.filter((folder) => !has.includes(folder))].join(delimiter);
}

function thisUser(): UserName {
  const uid = process.getuid?.() ?? 0;
  try {
    return { uid, name: userInfo().username };
  } catch {
    return { uid, name: undefined };
  }
}

/** Its own session: the terminal's signals are for the process outside. */
function enter(ids: readonly string[], program: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const namespaces = ['--user', '--map-root-user', ...ids, '--net', '--mount'];
  const script = `ip link set lo up && echo ${ENTERED} && exec "$@"`;
  return spawn('unshare', [...namespaces, '--', '/bin/sh', '-c', script, 'sh', ...program], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}

/** Undefined when the process is inside, else what unshare or the shell said. */
async function hasEntered(child: ChildProcess): Promise<string | undefined> {
  let errors = '';
  const onError = (chunk: Buffer): void => {
    errors += chunk.toString();
  };
  child.stderr?.on('data', onError);
  const over = new AbortController();
  const failure = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`unshare cannot be run: ${error.message}`));
    child.once('close', (code) => resolve(errors.trim().split('\n')[0] || `unshare ended with code ${code}`));
  });
  try {
    const output = child.stdout;
    if (output === null) return await failure;
    return await Promise.race([once(output, 'data', { signal: over.signal }).then(() => undefined), failure]);
  } finally {
    over.abort();
    child.stderr?.off('data', onError);
  }
}

async function followed<Options, Facts>(
  child: ChildProcess,
  { options, onProblem, signal }: InsideOptions<Options>,
  env: NodeJS.ProcessEnv,
): Promise<InsideOutcome<Facts>> {
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => void process.stderr.write(chunk));
  const order = (message: Order<Options>, server?: Server): void => {
    if (child.connected) child.send(message, server, () => server?.close());
    else server?.close();
  };
  const ended = once(child, 'exit').then(([code, killed]) => `it ended with ${killed ?? `code ${code}`}`);
  const leave = (): void => {
    if (child.connected) child.disconnect();
  };
  signal.addEventListener('abort', leave, { once: true });
  const link = await connectOutward(child.pid ?? 0, env, signal);
  void ended.then(() => link.close());
  try {
    signal.throwIfAborted();
    order({ kind: 'start', options, outward: link.outward });
    const outcome = await Promise.race([started<Facts>(child, order, onProblem), ended]);
    signal.throwIfAborted();
    if (typeof outcome === 'string') throw new Error(`the process of the cluster: ${outcome}`);
    if ('missing' in outcome) {
      await ended;
      return outcome;
    }
    return running(child, outcome.facts, link.outward, ended, order);
  } catch (error) {
    leave();
    await ended;
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Resolves to what the process inside says of its start. @throws Error of the start */
function started<Facts>(
  child: ChildProcess,
  order: (message: Order<never>, server?: Server) => void,
  onProblem: (message: string) => void,
): Promise<{ readonly facts: Facts } | { readonly missing: string }> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const report = message as Report<Facts>; // of the same release, in the next file
      switch (report.kind) {
        case 'listen':
          void listenFor(report.port, order);
          return;
        case 'ready':
          resolve({ facts: report.facts });
          return;
        case 'problem':
          onProblem(report.message);
          return;
        case 'failed':
          if (report.isUnfit) resolve({ missing: report.message });
          else reject(Object.assign(new Error(report.message), { code: report.code }));
      }
    });
  });
}

/** Opens a port in this network and gives it to the process inside: only that one accepts on it then. */
async function listenFor(
  port: number,
  order: (message: Order<never>, server?: Server) => void,
): Promise<void> {
  // Until the other process has it, nobody knows of it but by chance.
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host: '127.0.0.1', port, backlog: 4096 });
    await once(server, 'listening');
    const address = server.address();
    const found = typeof address === 'object' && address !== null ? address.port : port;
    order({ kind: 'listening', port: found }, server);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    order({ kind: 'not-listening', message: messageOf(error), code });
  }
}

function running<Facts>(
  child: ChildProcess,
  facts: Facts,
  outward: Outward,
  ended: Promise<string>,
  order: (message: Order<never>) => void,
): InsideCluster<Facts> {
  let closing: Promise<void> | undefined;
  let calls = 0;
  const call: InsideCluster<Facts>['call'] = (argument, onProgress, signal) => {
    signal?.throwIfAborted();
    calls += 1;
    const number = calls;
    return new Promise((resolve, reject) => {
      const onMessage = (message: unknown): void => {
        const report = message as Report<Facts>; // of the same release
        if (!('call' in report) || report.call !== number) return;
        if (report.kind === 'progress') onProgress?.(report.text);
        else if (report.kind === 'answer') over(() => resolve(report.value));
        else over(() => reject(report.error));
      };
      const onAbort = (): void => {
        order({ kind: 'cancel', call: number });
        over(() => reject(signal?.reason));
      };
      const over = (settle: () => void): void => {
        child.off('message', onMessage);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      child.on('message', onMessage);
      signal?.addEventListener('abort', onAbort, { once: true });
      void ended.then((how) => over(() => reject(new Error(`the process of the cluster: ${how}`))));
      order({ kind: 'call', call: number, argument });
    });
  };
  return {
    facts,
    outward,
    call,
    lost: ended.then((how) => (closing === undefined ? how : new Promise<never>(() => {}))),
    close: ({ graceMs } = {}) => {
      closing ??= (async () => {
        order({ kind: 'close', graceMs });
        await ended;
      })();
      return closing;
    },
  };
}
