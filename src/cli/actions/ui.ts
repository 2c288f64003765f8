import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ReadyServer } from '../../controlplane/server/run-server.ts';
import { silentLogger } from '../../kube/runtime/log.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { termination } from '../../process/signals.ts';
import { type ClusterOptions, onExisting } from '../cluster.ts';
import { serverError } from '../server/server-error.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole ui`, as the command line gives them. */
export interface UiOptions extends Pick<ClusterOptions, 'kubeconfig' | 'context'> {
  readonly port: number;
  readonly data?: string;
  /** Whether a browser is opened. */
  readonly open: boolean;
}

/** Where the page begins. */
const TARGET = '/ui/';
/** Names of the loopback: a request for any other name comes by a page that has pointed its own here. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** Serves the page for one person on this machine until Ctrl-C; a second one ends it at once. */
export async function run(options: UiOptions): Promise<number> {
  const stop = termination();
  try {
    return await onExisting(
      await withDetachedCluster(options),
      async ({ client }) => {
        const { runServer } = await import('../../controlplane/server/run-server.ts');
        const data = options.data ?? defaultFolder(process.env);
        await runServer(
          { data, listen: `127.0.0.1:${options.port}` },
          {
            env: process.env,
            signal: stop.signal,
            logger: silentLogger,
            personal: { client, target: TARGET, hosts: HOSTS },
            onReady: async (ready) => {
              console.log(welcome(ready));
              if (options.open) openBrowser(ready.enterUrl ?? '');
            },
          },
        );
        return EXIT.pass;
      },
      stop.signal,
    );
  } catch (error) {
    throw serverError(error);
  } finally {
    stop.close();
  }
}

function defaultFolder(env: NodeJS.ProcessEnv): string {
  const home = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share');
  return join(home, 'turnsole', 'ui');
}

function welcome({ enterUrl, url }: ReadyServer): string {
  return [
    `turnsole ui ready in ${Math.round(performance.now())} ms; the link signs one browser in, once, within ten minutes:`,
    `  ${enterUrl}`,
    `  afterwards ${url}${TARGET}`,
    'Ctrl-C ends it.',
  ].join('\n');
}

/** Opens what the desktop opens links with. Where there is none, the printed link does as well. */
function openBrowser(url: string): void {
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
