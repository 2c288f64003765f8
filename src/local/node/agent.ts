import type { ConfigMap, Node, Pod, Secret } from '../../api/core.ts';
import { NODES } from '../../api/resources.ts';
import { isAlreadyExists } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { EventRecorder, Informer, Logger } from '../../kube/runtime/index.ts';
import { Heartbeat } from './heartbeat.ts';
import { removeObject } from './pod/object-removal.ts';
import { PodWorker } from './pod/worker.ts';
import type { WorkerContext } from './pod/worker-context.ts';
import { type RuntimeRights, unsupportedRequests } from './unsupported.ts';

/** What one node's agent needs. */
export interface NodeAgentOptions {
  readonly client: KubeClient;
  /** The node as it is registered (node-object.ts). */
  readonly node: Node;
  readonly pods: Informer<Pod>;
  readonly configMaps: Informer<ConfigMap>;
  readonly secrets: Informer<Secret>;
  /** Records as `kubelet` of this node. */
  readonly events: EventRecorder;
  readonly rights: RuntimeRights;
  readonly logger: Logger;
  /** What pods are run with. */
  readonly context: Omit<WorkerContext, 'client' | 'event' | 'onError'>;
}

const TERMINAL_PHASES: readonly string[] = ['Succeeded', 'Failed'];

/** The agent of one node: registers it, keeps its lease, and gives each pod bound to it a worker. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #name: string;
  readonly #workers = new Map<string, PodWorker>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #context: WorkerContext;
  #heartbeat: Heartbeat | undefined;
  readonly #stop = new AbortController();

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    this.#name = options.node.metadata.name;
    const { client, context, events, logger } = options;
    this.#context = {
      ...context,
      client,
      event: (pod, text) => {
        const { fieldPath, ...rest } = text;
        const target = { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata };
        events.record(fieldPath === undefined ? target : { ...target, fieldPath }, rest);
      },
      onError: (error, what) => logger.warn({ err: error, node: this.#name, what }, 'node agent tries again'),
    };
  }

  /** Registers the node and begins to run pods; resolves when the node is ready. */
  async start(): Promise<void> {
    const node = await this.#register();
    const { client, pods, configMaps, secrets, context } = this.#options;
    this.#heartbeat = new Heartbeat(node, client, context.clock);
    await this.#heartbeat.start();
    this.#unsubscribe.push(
      pods.addHandler({
        onAdd: (pod) => this.#see(pod),
        onUpdate: (pod) => this.#see(pod),
        onDelete: (pod) => this.#workers.get(pod.metadata.uid ?? '')?.removed(),
      }),
      configMaps.addHandler(this.#follow('configMap')),
      secrets.addHandler(this.#follow('secret')),
    );
  }

  /** Ends all pods by the deadline without telling the API server. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stop.abort(new Error('the node agent is closing'));
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    await this.#heartbeat?.stop();
    await Promise.all([...this.#workers.values()].map((worker) => worker.close(deadlineMs)));
    this.#workers.clear();
  }

  async #register(): Promise<Node> {
    const { client, node } = this.#options;
    const { status, ...rest } = node;
    try {
      await client.create<Node>(NODES, rest);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await client.patch<Node>(NODES, this.#name, 'strategic', {
        metadata: { labels: node.metadata.labels },
      });
    }
    return client.patch<Node>(NODES, this.#name, 'strategic', { status }, { subresource: 'status' });
  }

  #see(pod: Pod): void {
    if (pod.spec?.nodeName !== this.#name || this.#stop.signal.aborted) return;
    const uid = pod.metadata.uid ?? '';
    const present = this.#workers.get(uid);
    if (present !== undefined) {
      present.update(pod);
      return;
    }
    // Nothing of a finished pod runs here; only its deletion may still wait for us.
    if (TERMINAL_PHASES.includes(pod.status?.phase ?? '')) {
      if (pod.metadata.deletionTimestamp !== undefined)
        void removeObject(pod, this.#context, this.#stop.signal);
      return;
    }
    const worker = new PodWorker(pod, this.#context);
    this.#workers.set(uid, worker);
    void worker.done.then(() => this.#workers.delete(uid));
    for (const message of unsupportedRequests(pod, this.#options.rights)) {
      this.#context.event(pod, { type: 'Warning', reason: 'NotSupported', message });
    }
  }

  #follow(kind: 'configMap' | 'secret'): {
    onAdd(object: ConfigMap | Secret, isInitial: boolean): void;
    onUpdate(object: ConfigMap | Secret): void;
    onDelete(object: ConfigMap | Secret): void;
  } {
    const changed = ({ metadata }: ConfigMap | Secret): void => {
      for (const worker of this.#workers.values())
        worker.objectChanged(kind, metadata.namespace ?? '', metadata.name);
    };
    return { onAdd: changed, onUpdate: changed, onDelete: changed };
  }
}
