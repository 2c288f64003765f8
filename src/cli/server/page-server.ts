import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@turnsole/kube/base/log';
import { makeTemporaryFolder } from '@turnsole/kube/base/temporary-folder';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { ReadyServer } from '../../controlplane/server/run-server.ts';
import { complain } from '../../process/complain.ts';
import type { ClusterSession } from '../../runs/session/open-cluster.ts';
import { EXPERIMENTS_NAMESPACE, runLocalAgent } from './local-agent.ts';
import { serverError } from './server-error.ts';
import { terminalOf } from './terminal.ts';

/** Where the page begins. */
const START = '/ui/cluster';
/** Names of the loopback: a request for any other name comes from a page that has pointed its own name here. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** How the page of a command is served. */
interface PageOptions {
  /** The shown cluster; the caller closes it. */
  readonly session: Pick<ClusterSession, 'client' | 'name' | 'kubeconfig'>;
  /** Loopback port; 0 = any free one. */
  readonly port: number;
  /** Folder of the page's data. @default a temporary one */
  readonly data?: string;
  /** Path that the browser begins with. @default the list of the cluster */
  readonly target?: string;
  /** Its abort ends the page. */
  readonly signal: AbortSignal;
  /** Called once, when the page can be opened. */
  readonly onReady: (ready: ReadyServer) => void;
}

/** Serves the page for one person on this machine until the signal aborts. @throws CommandError when it cannot be served */
export async function servePage({
  session,
  port,
  data,
  target,
  signal,
  onReady,
}: PageOptions): Promise<void> {
  const { runServer } = await import('../../controlplane/server/run-server.ts');
  const folder = data ?? makeTemporaryFolder('turnsole-ui-');
  const { client, name, kubeconfig } = session;
  const [serving, working] = [new AbortController(), new AbortController()];
  let agent = Promise.resolve();
  // The agent says what it knows while there is somebody who hears it.
  const end = (): void => {
    working.abort(signal.reason);
    void agent.then(() => serving.abort(signal.reason));
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    await runServer(
      { data: folder, listen: `127.0.0.1:${port}` },
      {
        env: process.env,
        signal: serving.signal,
        logger: silentLogger,
        personal: {
          ...{ client, target: target ?? START, hosts: HOSTS },
          terminal: terminalOf(kubeconfig, process.env),
          infra: { name, namespace: EXPERIMENTS_NAMESPACE },
          onLink: (link) => console.log(`a link for another browser, for ten minutes: ${link}`),
        },
        onReady: async (ready) => {
          const { url, agent: identity } = ready;
          if (identity !== undefined)
            agent = workAsAgent({ client, url, agent: identity, data: folder, signal: working.signal });
          onReady(ready);
        },
      },
    );
  } catch (error) {
    throw serverError(error);
  } finally {
    signal.removeEventListener('abort', end);
    working.abort(new Error('the page ends'));
    await agent;
    if (data === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Never throws: without an agent the page shows everything, and makes nothing. */
async function workAsAgent(options: Parameters<typeof runLocalAgent>[0]): Promise<void> {
  try {
    await runLocalAgent(options);
  } catch (error) {
    if (!options.signal.aborted) complain(`the page cannot run experiments: ${messageOf(error)}`);
  }
}

/** A page that is being served. */
export interface ServedPage extends AsyncDisposable {
  readonly ready: ReadyServer;
}

/** Serves the page beside other work, until it is disposed of. @throws CommandError when it cannot be served */
export async function servePageBeside(options: Pick<PageOptions, 'session' | 'target'>): Promise<ServedPage> {
  const end = new AbortController();
  const started = Promise.withResolvers<ReadyServer>();
  const ended = servePage({ ...options, port: 0, signal: end.signal, onReady: started.resolve });
  ended.catch(started.reject);
  return {
    ready: await started.promise,
    [Symbol.asyncDispose]: () => {
      end.abort(new Error('the command ends'));
      return ended;
    },
  };
}

/** Folder of the data of `turnsole ui`. */
export function pageFolder(env: NodeJS.ProcessEnv): string {
  const home = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share');
  return join(home, 'turnsole', 'ui');
}

/** Starts the program that opens links on this desktop. Without one, the user has the printed link. */
export function openBrowser(url: string): void {
  if (
    process.platform !== 'darwin' &&
    process.env.DISPLAY === undefined &&
    process.env.WAYLAND_DISPLAY === undefined
  )
    return;
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
