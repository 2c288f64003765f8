import { join, resolve } from 'node:path';
import type { EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { isLeftOpen } from '@turnsole/cluster/rootless/why-not';
import type { LogFields } from '@turnsole/kube/base/log';
import { withToken } from '@turnsole/kube/client/config/with-token';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ChaosCluster } from '../../embedded/index.ts';
import { startTraces } from '../../process/traces/start-traces.ts';
import type { TraceSender } from '../../process/traces/trace-sender.ts';
import { CommandError } from '../../services/errors.ts';
import type { CheckFilesOptions } from '../../services/plan/check-files.ts';
import { otelHandedOn } from '../../tracing/otel-variables.ts';
import type { LocalWorkflowsOptions } from './workflows/local-workflows.ts';

/** Runtime and node names of an embedded cluster. */
export interface RuntimeOptions {
  readonly runtime?: 'process' | 'simulated';
  readonly nodeLabel?: NodeLabels;
}

/** Labels by a node's name, those for all nodes under `*`. */
export type NodeLabels = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Options that say which cluster a command or a program works on. */
export interface ClusterOptions extends RuntimeOptions {
  /** Path of the file. */
  readonly kubeconfig?: string;
  /** The text of a kubeconfig, in place of a file. */
  readonly kubeconfigText?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly image?: ReadonlyMap<string, ImageEntry>;
  readonly nodes?: number;
  /** Whether pods are isolated from each other. */
  readonly isolation?: EmbeddedClusterOptions['isolation'];
  /** Loopback port of an embedded cluster's API server; 0 = any free one. */
  readonly port?: number;
  /** Folder in which an embedded cluster is kept. */
  readonly dataDir?: string;
  readonly verbose?: boolean;
}

/** Whether a component is started in this process; a yielding one stands aside while another of its kind leads. */
type Built = boolean | 'yielding';

/** The components that this process starts beside an embedded cluster. */
interface BuiltIn {
  readonly withOperator: Built;
  /** Workflow controllers, which are loaded with the first workflow. */
  readonly withWorkflows: Built;
  /** Gets sentences for users about traces that are lost and configurations that cannot be used. */
  readonly warn: (sentence: string) => void;
}

/** Whether these options mean a cluster that is there already, and not an embedded one of this command. */
export function meansExisting({ kubeconfig, kubeconfigText, context }: ClusterOptions): boolean {
  return kubeconfig !== undefined || kubeconfigText !== undefined || context !== undefined;
}

/** Whether these options leave it open that pods are isolated: those of an embedded cluster of this ordinary user. */
export function isIsolationOpen(options: ClusterOptions): boolean {
  const { isolation = 'auto', runtime } = options;
  const user = { platform: process.platform, uid: process.getuid?.() };
  return !meansExisting(options) && isLeftOpen({ ...user, isolation, isSimulated: runtime === 'simulated' });
}

/** How files are checked before the cluster can be read. Pure. */
export function beforeCluster(options: ClusterOptions): CheckFilesOptions {
  const cluster = meansExisting(options) ? 'unknown' : 'nothing';
  return { namespace: options.namespace ?? 'default', cluster };
}

/** A cluster that a command works on: an existing one, or an embedded one that lives as long as the command. */
export interface ClusterSession {
  readonly client: KubeClient;
  /** Host and port of its API server; `local` for an embedded one of this process. */
  readonly name: string;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /** The files and the context that another program on this machine reaches it with; without files there is none. */
  readonly kubeconfig: { readonly files: readonly string[]; readonly context?: string | undefined };
  /** Present when the cluster is embedded in this process. */
  readonly embedded?: ChaosCluster;
  /** A client of the same cluster that acts with a token; its user closes it. */
  connectWithToken(token: string): KubeClient;
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Connects to the cluster of `--kubeconfig`, or starts an embedded one.
 *
 * @throws CommandError (could not run) when neither works.
 */
export async function openCluster(
  options: ClusterOptions & BuiltIn,
  signal: AbortSignal,
): Promise<ClusterSession> {
  return meansExisting(options) ? openExisting(options, signal) : openEmbedded(options, signal);
}

/** How long a server may take to answer at all, retries included, before it counts as dead. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects to an existing cluster: `--kubeconfig`, else KUBECONFIG and the usual places.
 *
 * @throws CommandError (could not run) when it cannot be used · the signal's reason
 */
export async function openExisting(options: ClusterOptions, signal?: AbortSignal): Promise<ClusterSession> {
  const [{ loadKubeconfig }, { kubeconfigPaths }] = await Promise.all([
    import('@turnsole/kube/client/index'),
    import('@turnsole/kube/client/config/kubeconfig'),
  ]);
  try {
    const { kubeconfig: path, kubeconfigText: text, context } = options;
    const config = await loadKubeconfig({ path, text, context });
    // A plugin that asks the user to log in may take its time; it is not the server's.
    await Promise.all([config.token?.(), config.clientIdentity?.()]);
    const client = createClient(config);
    await client.raw('GET', '/version', undefined, { timeoutMs: CONNECT_TIMEOUT_MS, signal });
    return {
      client,
      name: new URL(config.server).host,
      namespace: options.namespace ?? config.namespace,
      kubeconfig: {
        files: text === undefined ? kubeconfigPaths(path, process.env).map((file) => resolve(file)) : [],
        context,
      },
      connectWithToken: (token) => createClient(withToken(config, token)),
      close: async () => client.close(),
    };
  } catch (error) {
    signal?.throwIfAborted();
    throw new CommandError(`cannot use the cluster: ${(error as Error).message}`, 'CLUSTER_UNUSABLE', {
      cause: error,
    });
  }
}

/** Does some work on an existing cluster, and lets go of it in any case. Errors as of {@link openExisting}. */
export async function onExisting<T>(
  options: ClusterOptions,
  work: (session: ClusterSession) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const session = await openExisting(options, signal);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function openEmbedded(options: ClusterOptions & BuiltIn, signal: AbortSignal): Promise<ClusterSession> {
  const { startChaosCluster } = await import('../../embedded/index.ts');
  let embedded: ChaosCluster;
  try {
    const { image: images, nodes, port, dataDir, runtime, isolation, nodeLabel: nodeLabels } = options;
    embedded = await startChaosCluster({
      images,
      nodes,
      port,
      dataDir,
      runtime,
      isolation,
      nodeLabels,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    const isPortTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isPortTaken
      ? `port ${options.port} is in use by another program; choose another --port, or none for any free one`
      : (error as Error).message;
    const message = `cannot start the embedded cluster: ${reason}`;
    throw new CommandError(message, 'EMBEDDED_CLUSTER_FAILED', { cause: error });
  }
  // Undone in reverse when a later step fails or is stopped.
  await using stack = new AsyncDisposableStack();
  let closing: Parameters<ChaosCluster['close']>[0];
  stack.defer(() => embedded.close(closing));
  const client = createClient(embedded.adminConfig);
  stack.defer(() => client.close());
  // The operator of this process logs nothing by default; a lost trace is reported all the same.
  const traces = await startTraces(process.env, {
    warn: ({ detail }: LogFields, sentence) => options.warn(`${sentence}: ${String(detail)}`),
  });
  stack.defer(() => traces?.close());
  const components: { stop(): Promise<void> }[] = [];
  stack.defer(async () => void (await Promise.all(components.map((component) => component.stop()))));
  await untilStarted(signal, async (starting) => {
    const common = { traces, verbose: options.verbose ?? false, signal: starting };
    if (options.withOperator !== false) {
      const isYielding = options.withOperator === 'yielding';
      const { knownImages } = embedded;
      components.push(await startLocalOperator(client, { ...common, knownImages, isYielding }));
    }
    if (options.withWorkflows !== false) {
      const workflows = await startWorkflows(client, {
        ...common,
        artifacts: join(embedded.dataDir, 'artifacts'),
        imageOf: embedded.imageOf,
        otel: otelHandedOn(process.env),
        isYielding: options.withWorkflows === 'yielding',
        warn: options.warn,
      });
      components.push(workflows);
    }
  });
  const started = stack.move();
  return {
    client,
    embedded,
    name: 'local',
    namespace: options.namespace ?? 'default',
    kubeconfig: { files: [embedded.kubeconfigPath] },
    connectWithToken: (token) => createClient(withToken(embedded.adminConfig, token)),
    close: async (closeOptions) => {
      closing = closeOptions;
      await started.disposeAsync();
    },
  };
}

/** Hands a stop on for as long as components start. Later they have to revert their chaos first, so their session stops them. */
async function untilStarted(
  signal: AbortSignal,
  start: (starting: AbortSignal) => Promise<void>,
): Promise<void> {
  const starting = new AbortController();
  const onStop = (): void => starting.abort(signal.reason);
  if (signal.aborted) onStop();
  signal.addEventListener('abort', onStop, { once: true });
  try {
    await start(starting.signal);
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}

/** Starts the operator in this process; it works through the client like any other component. */
export async function startLocalOperator(
  client: KubeClient,
  options: {
    readonly verbose: boolean;
    /** @default none are sent */
    readonly traces?: TraceSender | undefined;
    readonly knownImages?: readonly string[];
    /** @default false */
    readonly isYielding?: boolean;
    /** Stops the operator whenever it fires. @default none */
    readonly signal?: AbortSignal;
  },
): Promise<{ stop(): Promise<void> }> {
  const [{ startOperator }, { startYieldingOperator }, { createLogger }] = await Promise.all([
    import('../../components/operator/start-operator.ts'),
    import('../../components/operator/other-operators.ts'),
    import('@turnsole/kube/base/log'),
  ]);
  const { verbose, traces, knownImages = [], isYielding = false, signal } = options;
  const logger = createLogger({ component: 'operator', level: verbose ? 'info' : 'silent' });
  const common = {
    client,
    logger,
    namespace: '',
    knownImages,
    otel: otelHandedOn(process.env),
    traces,
    signal,
  };
  if (!isYielding) return startOperator(common);
  const [{ EventRecorder }, { OPERATOR_PODS, tellPeers }] = await Promise.all([
    import('@turnsole/kube/runtime/event-recorder'),
    import('./peers.ts'),
  ]);
  const recorder = new EventRecorder({ client, component: 'chaos-operator', logger });
  const told = { what: 'the engines', who: 'the built-in operator' };
  const operator = await startYieldingOperator({
    ...common,
    peerPods: OPERATOR_PODS,
    onPeer: tellPeers(recorder, logger, told),
  });
  return {
    stop: async () => {
      await operator.stop();
      await recorder.flush();
    },
  };
}

async function startWorkflows(
  client: KubeClient,
  options: Omit<LocalWorkflowsOptions, 'client' | 'logger'> & {
    readonly verbose: boolean;
  },
): Promise<{ stop(): Promise<void> }> {
  const [{ startLocalWorkflows }, { createLogger }] = await Promise.all([
    import('./workflows/local-workflows.ts'),
    import('@turnsole/kube/base/log'),
  ]);
  const { verbose, ...others } = options;
  const logger = createLogger({ component: 'workflow-controller', level: verbose ? 'info' : 'silent' });
  return startLocalWorkflows({ client, logger, ...others });
}
