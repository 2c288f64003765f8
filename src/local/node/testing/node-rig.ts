/** A real API server with one node agent whose clock the test moves; pods name the node themselves. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  ConfigMap,
  CoreEvent,
  Node,
  Pod,
  PodSpec,
  Secret,
  Service,
  ServiceAccount,
} from '../../../api/core.ts';
import {
  CONFIG_MAPS,
  EVENTS,
  NODES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '../../../api/resources.ts';
import { createClient } from '../../../kube/client/index.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import { FakeClock } from '../../../kube/runtime/fake-clock.ts';
import { EventRecorder, Informer, indexByNamespace, silentLogger } from '../../../kube/runtime/index.ts';
import { createApiServer } from '../../apiserver/index.ts';
import {
  builtInImages,
  claimAddressBlock,
  ImageCatalogue,
  LogStore,
  NodeAgent,
  NodeFeed,
  NodeLogSource,
  nodeObject,
  ProcessRuntime,
  Reaper,
  readMachine,
  requestPodToken,
} from '../index.ts';

export const NODE = 'turnsole-1';
const LIMIT_MS = 20_000;

export interface NodeRig {
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly dataDir: string;
  /** Creates a pod on the node in the namespace `default`. */
  create(name: string, spec: PodSpec, metadata?: Partial<Pod['metadata']>): Promise<Pod>;
  /** The pod as it is when the condition first holds; a pod that is gone gives its last state. */
  until(name: string, what: string, holds: (pod: Pod, gone: boolean) => boolean): Promise<Pod>;
  /** Resolves when the pod's object is gone, to its last state. */
  gone(name: string): Promise<Pod>;
  /** Events of the pod so far as `reason: message`. */
  events(name: string): Promise<string[]>;
  /** Resolves when an Event of this reason is there; gives its message. */
  event(name: string, reason: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts it; `close` removes everything. */
export async function startNodeRig(): Promise<NodeRig> {
  const stack = new AsyncDisposableStack();
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'turnsole-node-')));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const reaper = new Reaper({ dataDir, removeDataDir: true });
  stack.defer(() => reaper.close());
  const addresses = await claimAddressBlock();
  stack.defer(() => addresses.release());
  const server = createApiServer({ dataDir, serviceCidr: addresses.serviceCidr });
  await server.listen();
  stack.defer(() => server.close());
  const client = createClient(server.adminConfig);
  stack.defer(() => client.close());
  await client.create<ServiceAccount>(
    SERVICE_ACCOUNTS,
    { metadata: { name: 'default' } },
    { namespace: 'default' },
  );

  const clock = new FakeClock(Date.now());
  const pods = new Informer<Pod>({ client, resource: PODS });
  const nodes = new Informer<Node>({ client, resource: NODES });
  const configMaps = new Informer<ConfigMap>({ client, resource: CONFIG_MAPS });
  const secrets = new Informer<Secret>({ client, resource: SECRETS });
  const services = new Informer<Service>({
    client,
    resource: SERVICES,
    indexes: { namespace: indexByNamespace },
  });
  const events = new Informer<CoreEvent>({ client, resource: EVENTS });
  for (const informer of [pods, nodes, configMaps, secrets, services, events]) {
    informer.start();
    stack.defer(() => informer.stop());
    await informer.whenSynced();
  }
  const logs = new LogStore(join(dataDir, 'logs'), clock);
  server.setPodLogSource(new NodeLogSource(logs, clock));
  const builtIn = builtInImages({ directory: join(dataDir, 'images') });
  const hostsFile = join(dataDir, 'hosts.json');
  writeFileSync(hostsFile, JSON.stringify({ hosts: {}, aliases: {}, ports: {} }));
  const references = {
    configMap: (namespace: string, name: string) => client.find<ConfigMap>(CONFIG_MAPS, name, { namespace }),
    secret: (namespace: string, name: string) => client.find<Secret>(SECRETS, name, { namespace }),
  };
  const machine = readMachine(dataDir);
  const recorder = new EventRecorder({ client, component: 'kubelet', host: NODE });
  stack.defer(() => recorder.flush());
  const hostIP = addresses.nodeAddress(1);
  const runtime = new ProcessRuntime({ podsDirectory: join(dataDir, 'pods'), addresses, groups: reaper });
  const agent = new NodeAgent({
    client,
    node: nodeObject({
      name: NODE,
      address: hostIP,
      podCidr: addresses.podCidr,
      runtime: 'process',
      machine,
      nowMs: clock.now(),
    }),
    feed: new NodeFeed({ pods, nodes, configMaps, secrets }),
    events: recorder,
    rights: { root: process.getuid?.() === 0, uid: process.getuid?.() },
    logger: silentLogger,
    context: {
      clock,
      runtime,
      catalogue: new ImageCatalogue(builtIn.entries),
      logs,
      launch: {
        binDirectory: builtIn.binDirectory,
        apiServer: { host: '127.0.0.1', port: Number(new URL(server.server).port) },
        hostsFile,
        preload: fileURLToPath(new URL('../preload.cjs', import.meta.url)),
        services: (namespace) => services.lister.byIndex('namespace', namespace),
        references,
      },
      volumes: {
        references,
        token: (pod, audience, seconds) => requestPodToken(client, pod, audience, seconds),
        clusterAuthority: readFileSync(join(dataDir, 'ca.crt'), 'utf8'),
      },
      claimsDirectory: join(dataDir, 'claims'),
      node: { nodeName: NODE, hostIP, allocatable: { cpus: machine.cpus, memoryBytes: machine.memoryBytes } },
    },
  });
  stack.defer(() => agent.stop(clock.now()));
  await agent.start();
  return new Rig(client, clock, dataDir, pods, events, stack);
}

class Rig implements NodeRig {
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly #pods: Informer<Pod>;
  readonly #events: Informer<CoreEvent>;
  readonly #stack: AsyncDisposableStack;

  constructor(
    client: KubeClient,
    clock: FakeClock,
    dataDir: string,
    pods: Informer<Pod>,
    events: Informer<CoreEvent>,
    stack: AsyncDisposableStack,
  ) {
    this.client = client;
    this.clock = clock;
    this.dataDir = dataDir;
    this.#pods = pods;
    this.#events = events;
    this.#stack = stack;
  }

  create(name: string, spec: PodSpec, metadata: Partial<Pod['metadata']> = {}): Promise<Pod> {
    return this.client.create<Pod>(
      PODS,
      { metadata: { ...metadata, name }, spec: { nodeName: NODE, ...spec } },
      { namespace: 'default' },
    );
  }

  until(name: string, what: string, holds: (pod: Pod, gone: boolean) => boolean): Promise<Pod> {
    return wait<Pod>(
      this.#pods,
      `pod ${name} is ${what}`,
      (pod, gone) => pod.metadata.name === name && holds(pod, gone),
    );
  }

  gone(name: string): Promise<Pod> {
    return this.until(name, 'gone', (_pod, gone) => gone);
  }

  async events(name: string): Promise<string[]> {
    return this.#events.lister
      .list()
      .filter((event) => event.involvedObject.name === name)
      .map((event) => `${event.reason}: ${event.message}`);
  }

  async event(name: string, reason: string): Promise<string> {
    const found = await wait<CoreEvent>(
      this.#events,
      `event ${reason} of ${name}`,
      (event) => event.involvedObject.name === name && event.reason === reason,
    );
    return found.message ?? '';
  }

  close(): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** The first object the informer has, or hears of, for which the condition holds. */
async function wait<T extends Pod | CoreEvent>(
  informer: Informer<T>,
  what: string,
  holds: (object: T, gone: boolean) => boolean,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let last: T | undefined;
  const see = (gone: boolean) => (object: T) => {
    if (holds(object, gone)) resolve(object);
    else last = object;
  };
  const timer = setTimeout(
    () =>
      reject(new Error(`not within ${LIMIT_MS} ms: ${what}; last seen: ${JSON.stringify(last, null, 1)}`)),
    LIMIT_MS,
  );
  const unsubscribe = informer.addHandler({ onAdd: see(false), onUpdate: see(false), onDelete: see(true) });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
