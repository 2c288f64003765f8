import { randomUUID } from 'node:crypto';
import { isAlreadyExists, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { type EventRecorder, type Logger, retryOnConflict } from '@turnsole/kube/runtime/index';
import { equalJson } from '@turnsole/kube/text/json';
import { metaTime } from '@turnsole/kube/text/time';
import { NodeRoom, type Refusal } from './admission.ts';
import { agentAnnotations, agentMode, agentUntilMs } from './agent-mode.ts';
import { Heartbeat, type HeartbeatTiming } from './heartbeat.ts';
import type { AgentMode } from './machine/machine-order.ts';
import type { NodeFeed } from './node-feed.ts';
import { nodeConditions } from './node-object.ts';
import { removeObject } from './pod/object-removal.ts';
import type { PodRunner } from './pod/runner.ts';
import { StatusWriter } from './pod/status-writer.ts';
import { PodWorker } from './pod/worker.ts';
import type { WorkerContext } from './pod/worker-context.ts';
import { type RuntimeRights, unsupportedRequests } from './unsupported.ts';

/** What one node's agent needs. */
export interface NodeAgentOptions {
  readonly client: KubeClient;
  /** The node as it is registered (node-object.ts). */
  readonly node: Node;
  /** Records Events on the node and on its pods. */
  readonly feed: NodeFeed;
  /** Records as `kubelet` of this node. */
  readonly events: EventRecorder;
  readonly rights: RuntimeRights;
  readonly logger: Logger;
  /** The context of its pods. */
  readonly context: Omit<WorkerContext, 'client' | 'grant' | 'event' | 'onError'>;
  /** Runs the pod in another way than by processes; undefined for a pod that is to be processes. @default processes for all */
  readonly otherRunner?: (pod: Pod, context: WorkerContext) => PodRunner | undefined;
  readonly heartbeat?: HeartbeatTiming;
}

interface WaitingPod {
  readonly pod: Pod;
  readonly isMore: boolean;
}

/** After a failure to say that the agent runs again, or how the node is. */
const RETRY_MS = 1_000;

const TERMINAL_PHASES: readonly string[] = ['Succeeded', 'Failed'];

/**
 * The agent of one node: registers it, keeps its lease, and gives each pod bound to it a runner. An annotation of the
 * Node stops and starts it (agent-mode.ts).
 */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #name: string;
  readonly #runners = new Map<string, PodRunner>();
  readonly #room = new NodeRoom();
  /** Pods that have asked for more than the node had room for, in the order in which they did. */
  readonly #deferred = new Map<string, Pod>();
  /** Writers of the status of pods that were refused. */
  readonly #refused = new Map<string, StatusWriter>();
  readonly #context: WorkerContext;
  readonly #stop = new AbortController();
  #unsubscribe = (): void => {};
  /** The node's object as it was last seen. */
  #node: Node;
  #heartbeat: Heartbeat | undefined;
  #wanted: AgentMode = 'running';
  #mode: AgentMode = 'running';
  #switching: Promise<void> | undefined;
  #reporting: Promise<void> | undefined;
  /** Takes back the report that was planned after a failed one. */
  #cancelReport = (): void => {};
  /** When the agent is to run again by itself, and what takes that back. */
  #revival: { readonly atMs: number; readonly cancel: () => void } | undefined;
  /** A machine that is switched on has booted anew. */
  #bootId: string;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    this.#name = options.node.metadata.name;
    this.#node = options.node;
    this.#bootId = options.node.status?.nodeInfo?.bootID ?? '';
    const { client, context, events, logger } = options;
    this.#context = {
      ...context,
      client,
      grant: (pod) => this.#grant(pod),
      event: (pod, text) => {
        const { fieldPath, ...rest } = text;
        const target = { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata };
        events.record(fieldPath === undefined ? target : { ...target, fieldPath }, rest);
      },
      onError: (error, what) => logger.warn({ err: error, node: this.#name, what }, 'node agent tries again'),
    };
  }

  /** Registers the node and begins to run pods; resolves when the node is ready, unless its annotation says to stop. */
  async start(): Promise<void> {
    const { feed } = this.#options;
    const node = await this.#register();
    this.#node = node;
    this.#wanted = agentMode(node);
    this.#mode = this.#wanted;
    if (this.#mode === 'running') {
      await this.#postStatus();
      await this.#beat();
    } else if (this.#mode === 'runtime-stopped') await this.#report();
    this.#planRevival(node);
    this.#unsubscribe = feed.subscribe(this.#name, {
      pod: (pod) => this.#see(pod),
      podGone: (pod) => this.#lose(pod),
      node: (seen) => this.#follow(seen),
      object: (kind, namespace, name) => {
        for (const runner of this.#runners.values()) runner.objectChanged(kind, namespace, name);
      },
    });
  }

  /** Ends all pods by the deadline without a report to the API server. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stop.abort(new Error('the node agent is closing'));
    this.#unsubscribe();
    this.#revival?.cancel();
    this.#cancelReport();
    for (const writer of this.#refused.values()) writer.close();
    await this.#switching;
    await this.#heartbeat?.stop();
    await this.#closeAll(deadlineMs);
  }

  /** Resolves when the agent does what the node's object, as far as it has seen it, says; gives what that is. */
  async settled(): Promise<AgentMode> {
    await this.#switching;
    return this.#mode;
  }

  async #register(): Promise<Node> {
    const { client, node } = this.#options;
    const { status: _status, ...rest } = node;
    try {
      return await client.create<Node>(NODES, rest);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { labels, annotations } = node.metadata;
      return client.patch<Node>(NODES, this.#name, 'strategic', { metadata: { labels, annotations } });
    }
  }

  /** Says that the node is ready, or what it misses, and what it has. */
  async #postStatus(): Promise<void> {
    const { client, node, context } = this.#options;
    const nodeInfo = node.status?.nodeInfo && { ...node.status.nodeInfo, bootID: this.#bootId };
    const notReady = this.#mode === 'runtime-stopped' ? 'container runtime is down' : undefined;
    const conditions = nodeConditions(context.clock.now(), notReady);
    const status = { ...node.status, ...(nodeInfo === undefined ? {} : { nodeInfo }), conditions };
    const options = { subresource: 'status', signal: this.#stop.signal };
    await client.patch<Node>(NODES, this.#name, 'strategic', { status }, options);
  }

  async #beat(): Promise<void> {
    const { client, context, heartbeat: timing } = this.#options;
    const heartbeat = new Heartbeat(this.#node, client, context.clock, timing);
    this.#heartbeat = heartbeat;
    try {
      await heartbeat.start();
    } catch (error) {
      if (this.#heartbeat === heartbeat) this.#heartbeat = undefined;
      throw error;
    }
  }

  /** Says how the node is, and that it lives from now on. What fails is tried again by a timer: no event has to ask for it. */
  async #report(): Promise<void> {
    if (!this.#isKubeletUp()) return;
    this.#reporting ??= this.#tryReport();
    await this.#reporting;
  }

  async #tryReport(): Promise<void> {
    this.#cancelReport();
    let reported: AgentMode;
    try {
      // The mode may change meanwhile. Its change waits for this report, which then has to tell the new mode as well.
      do {
        reported = this.#mode;
        await this.#postStatus();
        if (this.#isKubeletUp() && this.#heartbeat === undefined) await this.#beat();
      } while (this.#isKubeletUp() && (reported !== this.#mode || this.#heartbeat === undefined));
    } catch (error) {
      if (!this.#isKubeletUp()) return;
      this.#complain(error, 'node status');
      this.#cancelReport = this.#options.context.clock.setTimer(RETRY_MS, () => void this.#report());
    } finally {
      this.#reporting = undefined;
    }
  }

  /** Without its container runtime the kubelet lives, and says what it misses. */
  #isKubeletUp(): boolean {
    return !this.#stop.signal.aborted && (this.#mode === 'running' || this.#mode === 'runtime-stopped');
  }

  async #endBeat(): Promise<void> {
    await this.#heartbeat?.stop();
    this.#heartbeat = undefined;
  }

  /** The node's object: it may ask the agent to stop or start, or contain a status that is not true. */
  #follow(node: Node): void {
    if (this.#stop.signal.aborted) return;
    const before = this.#node.status?.allocatable;
    this.#node = node;
    if (!equalJson(before, node.status?.allocatable)) this.#offerRoom();
    this.#wanted = agentMode(node);
    this.#planRevival(node);
    if (this.#wanted !== this.#mode) {
      this.#switching ??= this.#switch().finally(() => {
        this.#switching = undefined;
      });
      return;
    }
    if (this.#mode !== 'running' || this.#switching !== undefined || isReady(node)) return;
    // It fell silent, or was made anew: kubelet posts its status in any case, we do when it is needed.
    void this.#report();
  }

  async #switch(): Promise<void> {
    while (this.#mode !== this.#wanted && !this.#stop.signal.aborted) {
      const mode = this.#wanted;
      this.#mode = mode;
      if (mode === 'running') await this.#takeUp();
      else await this.#letGo(mode);
    }
  }

  async #letGo(mode: Exclude<AgentMode, 'running'>): Promise<void> {
    for (const runner of this.#runners.values()) runner.pause();
    if (mode === 'runtime-stopped') return this.#report();
    await this.#endBeat();
    if (mode !== 'off') return;
    this.#bootId = randomUUID();
    await this.#closeAll(this.#context.clock.now());
  }

  /** The machine's own service manager, as it were: it starts what was stopped only for a while. */
  #planRevival(node: Node, leastMs = 0): void {
    const atMs = agentUntilMs(node);
    if (atMs === this.#revival?.atMs) return;
    this.#revival?.cancel();
    this.#revival = undefined;
    if (atMs === undefined) return;
    const { clock } = this.#options.context;
    const cancel = clock.setTimer(Math.max(leastMs, atMs - clock.now()), () => {
      this.#revival = undefined;
      this.#revive().catch((error: unknown) => {
        this.#complain(error, 'node revival');
        if (!this.#stop.signal.aborted) this.#planRevival(this.#node, RETRY_MS);
      });
    });
    this.#revival = { atMs, cancel };
  }

  async #revive(): Promise<void> {
    const { client, context } = this.#options;
    const { signal } = this.#stop;
    await retryOnConflict(
      async () => {
        const node = await client.get<Node>(NODES, this.#name, { signal });
        // It may have been put off at the last moment, and timers may be a little early.
        if ((agentUntilMs(node) ?? Number.POSITIVE_INFINITY) > context.clock.now()) {
          this.#planRevival(node);
          return;
        }
        const { resourceVersion } = node.metadata;
        const metadata = { resourceVersion, annotations: agentAnnotations('running') };
        await client.patch<Node>(NODES, this.#name, 'merge', { metadata }, { signal });
      },
      { signal, clock: context.clock },
    );
  }

  /** Catches up after a pause: ends pods that were deleted, starts pods that were added or lost. */
  async #takeUp(): Promise<void> {
    for (const runner of this.#runners.values()) runner.resume();
    for (const pod of this.#options.feed.podsOf(this.#name)) this.#see(pod);
    await this.#report();
  }

  async #closeAll(deadlineMs: number): Promise<void> {
    const runners = [...this.#runners.values()];
    this.#runners.clear();
    await Promise.all(runners.map((runner) => runner.close(deadlineMs)));
  }

  #complain(error: unknown, what: string): void {
    if (!this.#stop.signal.aborted && !isNotFound(error)) this.#context.onError(error, what);
  }

  #see(pod: Pod): void {
    if (this.#stop.signal.aborted) return;
    const uid = pod.metadata.uid ?? '';
    const hasEnded = TERMINAL_PHASES.includes(pod.status?.phase ?? '');
    if (hasEnded) this.#release(uid);
    const present = this.#runners.get(uid);
    if (present !== undefined) {
      present.update(pod);
      return;
    }
    if (this.#mode !== 'running') return;
    // Nothing of a finished pod runs here; only its deletion may still wait for us.
    if (hasEnded) {
      if (pod.metadata.deletionTimestamp !== undefined)
        void removeObject(pod, this.#context, this.#stop.signal);
      return;
    }
    if (this.#refused.has(uid)) return;
    // Pods that this agent has started skip the check, so that a node that restarts goes on with what it had.
    const refusal = isNew(pod) ? this.#room.refusal(pod, this.#nodeWithAmounts()) : undefined;
    if (refusal !== undefined) {
      this.#refuse(pod, refusal);
      return;
    }
    this.#room.take(pod);
    const runner = this.#newRunner(pod);
    this.#runners.set(uid, runner);
    void runner.done.then(() => {
      if (this.#runners.get(uid) === runner) this.#runners.delete(uid);
    });
  }

  /** Grants a pod other resources, if there is room. One that is refused is told when there may be. */
  #grant(pod: Pod): Refusal | undefined {
    const uid = pod.metadata.uid ?? '';
    const { refusal, isLess } = this.#room.resize(pod, this.#nodeWithAmounts());
    if (refusal === undefined) this.#deferred.delete(uid);
    else this.#deferred.set(uid, pod);
    if (isLess) this.#offerRoom();
    return refusal;
  }

  /** A pod has ended or is gone. */
  #release(uid: string): void {
    this.#deferred.delete(uid);
    if (this.#room.release(uid)) this.#offerRoom();
  }

  /** Lets the pods that wait for room ask again, those that come first at first. */
  #offerRoom(): void {
    const waiting = [...this.#deferred].map(([uid, pod]) => ({ uid, pod, isMore: this.#room.isMore(pod) }));
    for (const { uid } of waiting.toSorted(byClaim)) this.#runners.get(uid)?.roomChanged();
  }

  /** A client that made the Node's object anew may have left out what the machine has. */
  #nodeWithAmounts(): Node {
    return this.#node.status?.allocatable === undefined
      ? { ...this.#node, status: { ...this.#node.status, ...this.#options.node.status } }
      : this.#node;
  }

  #refuse(pod: Pod, { reason, message }: Refusal): void {
    const { name, namespace = '', uid = '', generation } = pod.metadata;
    const { client, clock, onError } = this.#context;
    const writer = new StatusWriter({
      client,
      clock,
      namespace,
      name,
      uid,
      onError: (error) => onError(error, 'pod status'),
    });
    this.#refused.set(uid, writer);
    this.#context.event(pod, { type: 'Warning', reason, message });
    writer.offer({
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      startTime: metaTime(clock.now()),
    });
  }

  #newRunner(pod: Pod): PodRunner {
    const other = this.#options.otherRunner?.(pod, this.#context);
    if (other !== undefined) return other;
    for (const message of unsupportedRequests(pod, this.#options.rights)) {
      this.#context.event(pod, { type: 'Warning', reason: 'NotSupported', message });
    }
    return new PodWorker(pod, this.#context);
  }

  #lose(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    this.#release(uid);
    this.#refused.get(uid)?.close();
    this.#refused.delete(uid);
    const runner = this.#runners.get(uid);
    if (runner !== undefined) runner.removed();
    // Its runner went when the node was switched off; of the pod there still are logs.
    else if (this.#mode !== 'running') this.#context.logs.removePod(uid);
  }
}

/** Whose resize comes first: one that asks for no more than before, then by priority, then guaranteed ones. Pure. */
function byClaim(a: WaitingPod, b: WaitingPod): number {
  if (a.isMore !== b.isMore) return a.isMore ? 1 : -1;
  const priorities = (b.pod.spec?.priority ?? 0) - (a.pod.spec?.priority ?? 0);
  return priorities || Number(isGuaranteed(b.pod)) - Number(isGuaranteed(a.pod));
}

function isGuaranteed({ status }: Pod): boolean {
  return status?.qosClass === 'Guaranteed';
}

/** It has not begun to run. */
function isNew({ metadata, status }: Pod): boolean {
  return status?.startTime === undefined && metadata.deletionTimestamp === undefined;
}

function isReady({ status }: Node): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}
