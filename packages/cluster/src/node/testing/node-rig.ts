/** A real API server with one node agent whose clock the test moves; pods name the node themselves. */

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type {
  ConfigMap,
  CoreEvent,
  Node,
  Pod,
  PodSpec,
  Secret,
  Service,
  ServiceAccount,
} from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  EVENTS,
  NODES,
  PODS,
  type Resource,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { EventRecorder, Informer, indexByNamespace, silentLogger } from '@turnsole/kube/runtime/index';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { createApiServer } from '../../apiserver/index.ts';
import { agentMode } from '../agent-mode.ts';
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
import type { AgentMode } from '../machine/machine-order.ts';

export const NODE = 'turnsole-1';

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
  /** The node as it is when the condition first holds. */
  node(what: string, holds: (node: Node) => boolean): Promise<Node>;
  /** Resolves when the agent does what the node's annotation says, which must be this. */
  agentMode(mode: AgentMode): Promise<void>;
  /** Lets the agent's next patch of an object of this resource fail. */
  failNextPatch(resource: Resource): void;
  /** Resolves when the process is gone. */
  dead(pid: number): Promise<void>;
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
  const imagesDirectory = join(dataDir, 'images');
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
  const failing = new Set<string>();
  const agent = new NodeAgent({
    client: failingClient(client, failing),
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
      images: {
        catalogue: new ImageCatalogue(builtInImages({ directory: imagesDirectory })),
        stored: { missing: 'the rig has no store of images' },
      },
      logs,
      launch: {
        imagesDirectory,
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
  return new Rig({ client, clock, dataDir, pods, nodes, events, agent, failing, stack });
}

/** The parts of a rig. */
interface RigParts {
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly events: Informer<CoreEvent>;
  readonly agent: NodeAgent;
  readonly failing: Set<string>;
  readonly stack: AsyncDisposableStack;
}

class Rig implements NodeRig {
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly #parts: RigParts;
  /** Last states of pods that are gone: the watch may have reported the end before a test waits for it. */
  readonly #gone = new Map<string, Pod>();

  constructor(parts: RigParts) {
    this.client = parts.client;
    this.clock = parts.clock;
    this.dataDir = parts.dataDir;
    this.#parts = parts;
    parts.pods.addHandler({
      onAdd: ({ metadata }) => this.#gone.delete(metadata.name),
      onDelete: (pod) => this.#gone.set(pod.metadata.name, pod),
    });
  }

  create(name: string, spec: PodSpec, metadata: Partial<Pod['metadata']> = {}): Promise<Pod> {
    return this.client.create<Pod>(
      PODS,
      { metadata: { ...metadata, name }, spec: { nodeName: NODE, ...spec } },
      { namespace: 'default' },
    );
  }

  until(name: string, what: string, holds: (pod: Pod, gone: boolean) => boolean): Promise<Pod> {
    const last = this.#gone.get(name);
    if (last !== undefined && holds(last, true)) return Promise.resolve(last);
    return wait<Pod>(
      this.#parts.pods,
      `pod ${name} is ${what}`,
      (pod, gone) => pod.metadata.name === name && holds(pod, gone),
    );
  }

  gone(name: string): Promise<Pod> {
    return this.until(name, 'gone', (_pod, gone) => gone);
  }

  async events(name: string): Promise<string[]> {
    return this.#parts.events.lister
      .list()
      .filter((event) => event.involvedObject.name === name)
      .map((event) => `${event.reason}: ${event.message}`);
  }

  async event(name: string, reason: string): Promise<string> {
    const found = await wait<CoreEvent>(
      this.#parts.events,
      `event ${reason} of ${name}`,
      (event) => event.involvedObject.name === name && event.reason === reason,
    );
    return found.message ?? '';
  }

  node(what: string, holds: (node: Node) => boolean): Promise<Node> {
    return wait<Node>(this.#parts.nodes, `the node is ${what}`, holds);
  }

  async agentMode(wanted: AgentMode): Promise<void> {
    await this.node(`to be ${wanted}`, (node) => agentMode(node) === wanted);
    const mode = await this.#parts.agent.settled();
    if (mode !== wanted) throw new Error(`the agent is ${mode}, not ${wanted}`);
  }

  failNextPatch({ plural }: Resource): void {
    this.#parts.failing.add(plural);
  }

  async dead(pid: number): Promise<void> {
    const limitAt = performance.now() + PATIENCE_MS;
    // The end of another's process is not reported.
    while (isAlive(pid)) {
      if (performance.now() > limitAt) throw new Error(`process ${pid} still lives after ${PATIENCE_MS} ms`);
      await delay(10);
    }
  }

  close(): Promise<void> {
    return this.#parts.stack.disposeAsync();
  }
}

/** The client, whose next patch of each resource in the set fails. */
function failingClient(client: KubeClient, failing: Set<string>): KubeClient {
  const patch: KubeClient['patch'] = async (resource, name, ...rest) => {
    if (failing.delete(resource.plural))
      throw new Error(`patch ${resource.plural} ${name}: refused by the test`);
    return client.patch(resource, name, ...rest);
  };
  return changedClient(client, { patch });
}

/** Whether the process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The first object that the informer has, or gets, for which the condition holds. */
async function wait<T extends Pod | Node | CoreEvent>(
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
      reject(new Error(`not within ${PATIENCE_MS} ms: ${what}; last seen: ${JSON.stringify(last, null, 1)}`)),
    PATIENCE_MS,
  );
  const unsubscribe = informer.addHandler({ onAdd: see(false), onUpdate: see(false), onDelete: see(true) });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
