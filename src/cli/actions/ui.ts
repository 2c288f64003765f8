import type { ReadyServer } from '../../controlplane/server/run-server.ts';
import { complain } from '../../process/complain.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { termination } from '../../process/signals.ts';
import {
  type ClusterOptions,
  type ClusterSession,
  openCluster,
  openExisting,
} from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { openBrowser, pageFolder, servePage } from '../server/page-server.ts';
import { terminalOf } from '../server/terminal.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole ui`, as the command line gives them. */
export interface UiOptions extends Pick<ClusterOptions, 'kubeconfig' | 'context'> {
  readonly port: number;
  readonly data?: string;
  /** Whether a browser is opened. */
  readonly open: boolean;
  /** An embedded cluster of its own, which ends with the page. */
  readonly local?: boolean;
}

/** Serves the page for one person on this machine until Ctrl-C; a second one ends it at once. */
export async function run(options: UiOptions): Promise<number> {
  const stop = termination();
  try {
    const session = await openShown(options, stop.signal);
    try {
      await servePage({
        session,
        port: options.port,
        data: options.data ?? pageFolder(process.env),
        signal: stop.signal,
        onReady: (ready) => {
          console.log(welcome(ready, session));
          if (options.open) openBrowser(ready.enterUrl ?? '');
        },
      });
    } finally {
      await session.close();
    }
    return EXIT.pass;
  } finally {
    stop.close();
  }
}

/** The cluster to show. @throws CommandError when it has none, which says how to get one */
async function openShown({ local, ...options }: UiOptions, signal: AbortSignal): Promise<ClusterSession> {
  const { kubeconfig, context } = options;
  if (local === true) {
    if (kubeconfig === undefined && context === undefined)
      return openCluster({ withOperator: true, withWorkflows: true, warn: complain }, signal);
    const message = '--local starts a cluster of its own; leave --kubeconfig and --context out';
    throw new CommandError(message, 'OPTION_INVALID');
  }
  const chosen = await withDetachedCluster({ kubeconfig, context });
  try {
    return await openExisting(chosen, signal);
  } catch (error) {
    const isNone = error instanceof CommandError && error.code === 'CLUSTER_UNUSABLE';
    if (!isNone || chosen.kubeconfig !== undefined) throw error;
    const way = 'start one with "turnsole up --detach", or show one of its own with "turnsole ui --local"';
    throw new CommandError(`${error.message}; ${way}`, error.code, { cause: error });
  }
}

function welcome({ enterUrl, url }: ReadyServer, { embedded, kubeconfig }: ClusterSession): string {
  const terminal = terminalOf(kubeconfig, process.env);
  return [
    `turnsole ui ready in ${Math.round(performance.now())} ms; the link signs one browser in, once, within ten minutes:`,
    `  ${enterUrl}`,
    `  afterwards ${url}/ui/`,
    ...(embedded === undefined || terminal === undefined
      ? []
      : [
          'Its cluster takes experiments from another terminal:',
          `  ${terminal.turnsole} run ${terminal.quickstart} ${terminal.cluster}`,
        ]),
    'Ctrl-C ends it.',
  ].join('\n');
}
