import type { ArtifactRepository } from '@turnsole/workflows/artifacts/repository';
import type { Action, Change, Decision } from '@turnsole/workflows/engine/change';
import { applyDecision, decide } from '@turnsole/workflows/engine/decide';
import { isFulfilled } from '@turnsole/workflows/engine/node-state';
import type { Run, RunStatus } from '@turnsole/workflows/engine/run';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { SeenPod } from './pod-source.ts';
import type { NodeChange } from './ports.ts';
import { slimWorkflow } from './slim-objects.ts';

/** Labels, spec and fields of the status that go with the first write of a run, and only with it. */
export interface FirstWrite {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: unknown;
  readonly status?: Readonly<Record<string, unknown>>;
}

/**
 * A workflow under control: the engine's run, the part of it that is stored, and the actions that wait. The run in memory is the truth;
 * the stored object follows it, and clients' edits are taken over from it.
 */
export class LiveRun {
  readonly key: string;
  readonly run: Run;
  /** Changes that wait to be decided. */
  readonly inbox: Change[] = [];
  /** Pods that have changed since the last pass, by name. */
  readonly touchedPods = new Map<string, SeenPod>();
  /** Names of the pods of nodes, as far as they were seen or asked for. */
  readonly podNames = new Map<NodeId, string>();
  /** Ended pods whose node's end is not stored yet, by node. */
  readonly endedPods = new Map<NodeId, string>();
  /** Actions that wait until the decision for them is stored. */
  actions: Action[] = [];
  wakeAt: number | undefined;
  /** Since when something waits to be stored, in milliseconds since 1970. */
  unsavedSince: number | undefined;
  /** Whether what waits to be stored must not wait. */
  isUrgent = false;
  first: FirstWrite | undefined;
  /** The store of artifacts that name none. */
  repository: ArtifactRepository | undefined;
  /** Whether the nodes are stored compressed. */
  isCompressed: boolean;
  /** No write before this time, in milliseconds since 1970: large objects are written in proportion to what a write costs. */
  notBefore = 0;
  readonly size: StoredSize;
  #served: Workflow;
  #unsaved = new Map<NodeId, NodeStatus | undefined>();
  #storedStatus: RunStatus;

  constructor(key: string, run: Run, served: Workflow) {
    this.key = key;
    this.run = run;
    this.#served = slimWorkflow(served);
    this.#storedStatus = run.status;
    this.isCompressed = (served.status?.compressedNodes ?? '') !== '';
    this.size = new StoredSize(run);
  }

  get uid(): string | undefined {
    return this.#served.metadata.uid;
  }

  /** The newest object that is known, without its nodes and stored templates. */
  get served(): Workflow {
    return this.#served;
  }

  /** Keeps the local copy in place of an own one, where it is the same version. */
  takeEqual(copy: Workflow): void {
    if (copy.metadata.resourceVersion === this.#served.metadata.resourceVersion) this.#served = copy;
  }

  get isOver(): boolean {
    return isOverPhase(this.run.status.phase);
  }

  get storedStatus(): RunStatus {
    return this.#storedStatus;
  }

  get isSaved(): boolean {
    return this.unsavedSince === undefined;
  }

  /** Lets the engine decide on a change, and takes the decision. */
  decide(change: Change, now: number): Decision {
    const decision = decide(this.run, change, now);
    this.take(decision, now);
    return decision;
  }

  take(decision: Decision, now: number): void {
    for (const node of decision.nodes) {
      const before = this.run.nodes.get(node.id);
      if (!this.#unsaved.has(node.id)) this.#unsaved.set(node.id, before);
      if (before === undefined || isFulfilled(node)) this.isUrgent = true;
      this.size.note(node);
    }
    const { phase = this.run.status.phase } = decision.status;
    if (phase !== this.run.status.phase || decision.actions.length > 0) this.isUrgent = true;
    if (decision.nodes.length > 0 || Object.keys(decision.status).length > 0) this.unsavedSince ??= now;
    applyDecision(this.run, decision);
    this.actions.push(...decision.actions);
    this.wakeAt = decision.wakeAt;
  }

  /** A node as it is stored, as far as is known. */
  storedNode(id: NodeId): NodeStatus | undefined {
    return this.#unsaved.has(id) ? this.#unsaved.get(id) : this.run.nodes.get(id);
  }

  /** Nodes that are not stored as they are. */
  get changes(): NodeChange[] {
    return [...this.#unsaved].flatMap(([id, before]) => {
      const after = this.run.nodes.get(id);
      return after === undefined ? [] : [{ after, ...(before && { before }) }];
    });
  }

  /** Notes that everything is stored. */
  saved(served: Workflow): void {
    this.#served = slimWorkflow(served);
    this.isCompressed = (served.status?.compressedNodes ?? '') !== '';
    this.#storedStatus = this.run.status;
    this.#unsaved = new Map();
    this.unsavedSince = undefined;
    this.isUrgent = false;
    this.first = undefined;
  }

  /** Takes over the stored workflow where it differs from the expected one: a client has edited it, or the answer to a write was lost. */
  rebase(served: Workflow, nodes: readonly NodeStatus[]): void {
    this.#served = slimWorkflow(served);
    for (const node of nodes) this.#unsaved.set(node.id, node);
    const status: Readonly<Record<string, unknown>> = { ...served.status };
    const fields = [...Object.keys(this.run.status), ...Object.keys(this.#storedStatus)];
    this.#storedStatus = {
      storedTemplates: {},
      ...Object.fromEntries(fields.map((field) => [field, status[field]])),
    } as RunStatus;
  }
}

/** Bytes of JSON that the nodes of a run take, kept up to date node by node. */
class StoredSize {
  readonly #sizes = new Map<NodeId, number>();
  #nodes = 0;
  readonly #rest: number;

  constructor({ workflow, nodes }: Pick<Run, 'workflow' | 'nodes'>) {
    const { nodes: _nodes, compressedNodes: _compressed, ...status } = workflow.status ?? {};
    this.#rest = bytesOf({ ...workflow, status });
    for (const node of nodes.values()) this.note(node);
  }

  note(node: NodeStatus): void {
    // Its key and the marks around it count as well.
    const size = bytesOf(node) + node.id.length + 4;
    this.#nodes += size - (this.#sizes.get(node.id) ?? 0);
    this.#sizes.set(node.id, size);
  }

  /** Size of everything but the nodes, as it was when the workflow was opened. */
  get rest(): number {
    return this.#rest;
  }

  get nodes(): number {
    return this.#nodes;
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
