/** The embedded cluster. See README.md. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigMap, Node, Pod, Secret, Service, ServiceAccount } from '../api/core.ts';
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import { JOURNAL_FOLDER, journalMark } from '../api/journal-folder.ts';
import {
  CHAOS_SCHEDULES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  NETWORK_POLICIES,
  NODES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../api/resources.ts';
import { isAlreadyExists } from '../kube/client/errors.ts';
import { createClient } from '../kube/client/index.ts';
import type { KubeClient } from '../kube/client/types.ts';
import { EventRecorder, type Informer, silentLogger, systemClock } from '../kube/runtime/index.ts';
import { type ApiServer, createApiServer } from './apiserver/index.ts';
import { judgeSchedule } from './chaos-kinds.ts';
import { startClusterNetwork } from './cluster-network.ts';
import { InformerFactory, startControllers } from './controllers/index.ts';
import type { KeptCluster } from './kept-cluster.ts';
import {
  builtInImages,
  claimAddressBlock,
  connectStreaming,
  describeCapabilities,
  ImageCatalogue,
  type IsolationOutcome,
  isolatedAddresses,
  LogStore,
  MachineServer,
  NodeAgent,
  NodeFeed,
  NodeLogSource,
  nodeObject,
  notEnforced,
  openIsolation,
  PACKAGE_ROOT,
  PipePool,
  ProcessRuntime,
  Reaper,
  readFirstFreePort,
  readLacks,
  readMachine,
  requestPodToken,
  SimulatedAddresses,
  Simulation,
  StreamableRuntime,
  UsageSampler,
  whyUnreachable,
} from './node/index.ts';
import { removeJournals } from './node/runtime/journals.ts';
import { startScheduler } from './scheduler/index.ts';
import type { EmbeddedCluster, EmbeddedClusterOptions, SimulatedRuntimeOptions } from './types.ts';

export type { SimulatedRun, SimulationRule } from './node/simulated/index.ts';
export type {
  EmbeddedCluster,
  EmbeddedClusterOptions,
  ImageEntry,
  SimulatedRuntimeOptions,
} from './types.ts';

const DEFAULT_CLOSE_GRACE_MS = 2_000;
/** Shorter than the 15 s of metrics-server: a cluster of a few pods on one machine is measured in a moment. */
const DEFAULT_METRICS_INTERVAL_MS = 5_000;
const SIMULATED: SimulatedRuntimeOptions = { kind: 'simulated' };
/** What a simulated node has unless it is said. */
const SIMULATED_MACHINE = { cpus: 32, memoryBytes: 256 * 2 ** 30 } as const;
/** Events of simulated pods that wait to be written; more are dropped, for they are news and there may be thousands a second. */
const MAX_SIMULATED_EVENTS = 100;
const API_HOST = '127.0.0.1';
/** Port of the service `kubernetes`. */
const API_SERVICE_PORT = 443;
const PRELOAD = fileURLToPath(new URL('./node/preload.cjs', import.meta.url));

/**
 * Starts a cluster in this process: API server, controllers, scheduler and nodes whose pods are local processes.
 *
 * Resolves when it can be used: definitions and default roles are there, the namespace `default` has its service
 * account, every node is ready. Several clusters may run at once. Nothing stays behind: `close` stops everything, and
 * if this process dies in whatever way, a reaper kills the pods and removes the temporary folder.
 *
 * @throws Error when the port is in use, the data folder cannot be written, or the signal aborts meanwhile
 */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
  const { signal: outer } = options;
  const stack = new AsyncDisposableStack();
  // What works in the background ends with the cluster, or with a failed start; the caller's signal counts until then.
  const life = new AbortController();
  const onAbort = (): void => life.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  try {
    outer?.throwIfAborted();
    const cluster = await start(options, stack, life.signal);
    life.signal.throwIfAborted();
    return cluster;
  } catch (error) {
    life.abort(error);
    await stack.disposeAsync();
    throw error;
  } finally {
    outer?.removeEventListener('abort', onAbort);
  }
}

async function start(
  options: EmbeddedClusterOptions,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<EmbeddedCluster> {
  const clock = systemClock;
  // Locked before anything else is touched; closed after everything that writes.
  const kept = options.dataDir === undefined ? undefined : await openKeptCluster(options.dataDir);
  stack.defer(() => kept?.close());
  const dataDir = makeRunDir();
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  await kept?.begin(dataDir);
  const reaper = new Reaper({ dataDir, removeDataDir: true });
  stack.defer(() => reaper.close());
  const nodeCount = options.nodes ?? kept?.nodes ?? 1;
  const simulated = options.runtime === 'simulated' ? SIMULATED : asSimulated(options.runtime);
  const isolated: IsolationOutcome = simulated
    ? { missing: 'pods are simulated' }
    : await openIsolation({
        mode: options.isolation ?? 'auto',
        dataDir,
        nodes: nodeCount,
        addressBlock: kept?.addressBlock,
        reaper,
      });
  const { isolation } = isolated;
  const lacks = readLacks(isolated.isolation === undefined ? isolated.missing : undefined);
  stack.defer(() => isolation?.close());
  const addresses =
    isolation === undefined ? await claimAddressBlock(kept?.addressBlock) : isolatedAddresses(isolation);
  stack.defer(() => addresses.release());

  const serverOptions = {
    dataDir: kept?.directory ?? dataDir,
    runDir: dataDir,
    host: API_HOST,
    serviceCidr: addresses.serviceCidr,
    ...(kept === undefined ? {} : { journal: kept.journal }),
  };
  const server = createApiServer({ ...serverOptions, port: options.port || (kept?.port ?? 0) });
  await kept?.prepare(server.store, nodeCount);
  await listenOnUsualPort(server, !options.port && kept?.port !== undefined);
  stack.defer(() => server.close());
  server.judgeWrites(CHAOS_SCHEDULES, judgeSchedule);
  const client = createClient(server.adminConfig);
  stack.defer(() => client.close());
  const port = Number(new URL(server.server).port);
  kept?.remember({ port, nodes: nodeCount, serviceCidr: addresses.serviceCidr });
  const apiServer = isolation
    ? { host: isolation.addresses.apiAddress, port: API_SERVICE_PORT }
    : { host: API_HOST, port };
  const knownAs = `${apiServer.host}:${apiServer.port}`;
  reaper.addJournals(JOURNAL_FOLDER, journalMark(knownAs));
  // When the pods have ended, and with them what journals speak of.
  stack.defer(() => removeJournals(knownAs));
  const authority = readFileSync(join(serverOptions.dataDir, 'ca.crt'), 'utf8');

  const informers = new InformerFactory({ client, clock, random: Math.random, logger: silentLogger });
  stack.defer(() => informers.stop());
  const pods = informers.view<Pod>(PODS).informer;
  const services = informers.view<Service>(SERVICES).informer;
  const configMaps = informers.view<ConfigMap>(CONFIG_MAPS).informer;
  const secrets = informers.view<Secret>(SECRETS).informer;
  const accounts = informers.view<ServiceAccount>(SERVICE_ACCOUNTS).informer;

  const hostsFile = join(dataDir, 'hosts.json');
  // Nobody listens in simulated pods, and nobody asks for them.
  const network =
    simulated === undefined
      ? await startClusterNetwork({
          ...{ isolated, hostsFile, informers, client, server, clock },
          separateAddresses: addresses.separate,
        })
      : undefined;
  stack.defer(() => network?.[Symbol.asyncDispose]());
  if (network === undefined) {
    writeFileSync(hostsFile, JSON.stringify({ hosts: {}, aliases: {}, ports: {} }));
    server.warnWriters(NETWORK_POLICIES, notEnforced('pods are simulated'));
  }

  const machineSocket = join(dataDir, 'machine.sock');
  const machineServer = new MachineServer({ path: machineSocket, client, clock });
  await machineServer.start();
  stack.defer(() => machineServer.close());

  const builtIn = builtInImages({
    directory: join(dataDir, 'images'),
    userImages: options.images?.keys() ?? [],
  });
  const pipes = new PipePool(join(dataDir, 'pipes'));
  stack.defer(async () => {
    pipes.close();
    await pipes.ready();
  });
  const processes = isolation
    ? await isolation.runtime({
        pipes,
        policies: network?.policies,
        imagesDirectory: builtIn.directory,
        needs: [PACKAGE_ROOT, process.execPath],
      })
    : new ProcessRuntime({ podsDirectory: join(dataDir, 'pods'), addresses, groups: reaper, pipes });
  const runtime = new StreamableRuntime(processes);
  stack.defer(connectStreaming(server, runtime, clock));
  const logs = new LogStore(join(dataDir, 'logs'), clock);
  server.setPodLogSource(new NodeLogSource(logs, clock));
  server.setNodeReach(whyUnreachable);
  const machine = {
    ...readMachine(dataDir),
    ...(simulated === undefined ? {} : SIMULATED_MACHINE),
    ...simulated?.capacity,
  };
  const simulation = simulated && new Simulation({ ...simulated, client, clock });
  stack.defer(() => simulation?.close());
  const sharedEvents =
    simulation &&
    new EventRecorder({ client, component: 'kubelet', clock, maxPending: MAX_SIMULATED_EVENTS });
  const sampler = new UsageSampler({
    containers: () => runtime.containers(),
    clock,
    intervalMs: options.metricsIntervalMs ?? DEFAULT_METRICS_INTERVAL_MS,
  });
  stack.defer(() => sampler.close());
  server.serveMetrics(simulation === undefined ? sampler : simulation.usageSource(sampler));
  const uid = process.getuid?.();
  const references = {
    configMap: (namespace: string, name: string) => client.find<ConfigMap>(CONFIG_MAPS, name, { namespace }),
    secret: (namespace: string, name: string) => client.find<Secret>(SECRETS, name, { namespace }),
  };
  const feed = new NodeFeed({ pods, nodes: informers.view<Node>(NODES).informer, configMaps, secrets });
  const catalogue = new ImageCatalogue(builtIn.entries, options.images ?? new Map());
  const agents = Array.from({ length: nodeCount }, (_, index) => {
    const name = `turnsole-${index + 1}`;
    const hostIP = simulation ? SimulatedAddresses.node(index + 1) : addresses.nodeAddress(index + 1);
    return new NodeAgent({
      client,
      node: nodeObject({
        name,
        address: hostIP,
        podCidr:
          simulation?.addresses.podCidr ?? isolation?.addresses.podCidr(index + 1) ?? addresses.podCidr,
        runtime: simulated?.kind ?? runtime.name,
        machine,
        nowMs: clock.now(),
        index,
        labels: { ...options.nodeLabels?.['*'], ...options.nodeLabels?.[name] },
        lacks,
        ...(simulated?.capacity?.pods === undefined ? {} : { maxPods: simulated.capacity.pods }),
      }),
      feed,
      heartbeat: { phase: (index + 1) / nodeCount, intervalMs: heartbeatMs(options.nodeGraceMs) },
      events: sharedEvents ?? new EventRecorder({ client, component: 'kubelet', host: name, clock }),
      ...(simulation && { otherRunner: (pod, context) => simulation.runner(pod, context) }),
      rights: { root: uid === 0, uid, isolated: isolation !== undefined },
      logger: silentLogger,
      context: {
        clock,
        runtime,
        catalogue,
        logs,
        launch: {
          imagesDirectory: builtIn.directory,
          apiServer,
          hostsFile,
          preload: PRELOAD,
          services: (namespace) => services.lister.byIndex('namespace', namespace),
          references,
          machineSocket,
        },
        volumes: {
          references,
          token: (pod, audience, seconds) => requestPodToken(client, pod, audience, seconds),
          clusterAuthority: authority,
        },
        claimsDirectory: join(serverOptions.dataDir, 'claims'),
        node: {
          nodeName: name,
          hostIP,
          allocatable: { cpus: machine.cpus, memoryBytes: machine.memoryBytes },
        },
      },
    });
  });
  let graceMs = DEFAULT_CLOSE_GRACE_MS;
  stack.defer(async () => {
    const deadlineMs = clock.now() + graceMs;
    await Promise.all(agents.map((agent) => agent.stop(deadlineMs)));
  });

  // Not the caller's signal: it must not stop a cluster that somebody relies on to revert chaos.
  const shared = { client, clock, informers, signal };
  const [controllers, scheduler] = await Promise.all([
    startControllers({
      ...shared,
      options: {
        certificateAuthority: authority,
        ...(options.nodeGraceMs === undefined ? {} : { nodeGraceMs: options.nodeGraceMs }),
        ...(options.metricsIntervalMs === undefined ? {} : { autoscalerPeriodMs: options.metricsIntervalMs }),
      },
    }),
    startScheduler(shared),
    installDefinitions(client),
    ...agents.map((agent) => agent.start()),
  ]);
  server.addComponent('controller-manager');
  server.addComponent('scheduler');
  stack.defer(async () => {
    await Promise.all([controllers.stop(), scheduler.stop()]);
  });
  await present(accounts, 'default/default', signal);

  let closed: Promise<void> | undefined;
  return {
    server: server.server,
    kubeconfigPath: server.kubeconfigPath,
    dataDir: serverOptions.dataDir,
    adminConfig: server.adminConfig,
    capabilities: describeCapabilities({
      platform: process.platform,
      root: uid === 0,
      separateAddresses: addresses.separate,
      firstFreePort: readFirstFreePort(),
      policiesMissing: network === undefined ? 'pods are simulated' : network.policiesMissing,
      ...(isolation === undefined ? { missing: isolated.missing } : { limits: isolation.limits }),
    }),
    lacks,
    // Simulated pods need none.
    knownImages: builtIn.knownImages,
    knowsImage: (image) => simulated !== undefined || catalogue.find(image) !== undefined,
    close: (closeOptions = {}) => {
      graceMs = closeOptions.graceMs ?? DEFAULT_CLOSE_GRACE_MS;
      closed ??= stack.disposeAsync();
      return closed;
    },
  };
}

/** Nodes renew four times in the time after which they are taken for lost; undefined leaves it at the usual 10 s. */
function heartbeatMs(nodeGraceMs: number | undefined): number | undefined {
  return nodeGraceMs === undefined ? undefined : nodeGraceMs / 4;
}

function asSimulated(runtime: EmbeddedClusterOptions['runtime']): SimulatedRuntimeOptions | undefined {
  return typeof runtime === 'object' && runtime.kind === 'simulated' ? runtime : undefined;
}

function makeRunDir(): string {
  // The real path: the reaper finds processes by the folder in their environment.
  return realpathSync(mkdtempSync(join(tmpdir(), 'turnsole-')));
}

/** Opens the code for data folders only where there is one. */
async function openKeptCluster(directory: string): Promise<KeptCluster> {
  const { KeptCluster } = await import('./kept-cluster.ts');
  return new KeptCluster(directory);
}

/** Listens; where the port is only the one of the last time and somebody else has it by now, on any other. */
async function listenOnUsualPort(server: ApiServer, mayChange: boolean): Promise<void> {
  try {
    await server.listen();
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!mayChange || !isTaken) throw error;
    await server.listen(0);
  }
}

async function installDefinitions(client: KubeClient): Promise<void> {
  await Promise.all(
    CUSTOM_RESOURCES.map(async ({ definition }) => {
      try {
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }),
  );
}

/** Resolves when the informer knows the object. */
function present(informer: Informer<ServiceAccount>, key: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      unsubscribe();
      reject(signal.reason);
    };
    let unsubscribe = (): void => {};
    const check = (): void => {
      if (informer.lister.get(key) === undefined) return;
      signal.removeEventListener('abort', onAbort);
      setImmediate(() => unsubscribe());
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    unsubscribe = informer.addHandler({ onAdd: check });
    check();
  });
}
