import { nodeId } from '../kinds/pod-names.ts';
import type { NodeId, NodeStatus } from '../kinds/status.ts';
import { ownerName } from './node-names.ts';
import { isActive, isCounted, isFailed, isFulfilled } from './node-state.ts';
import { type Progress, progressOf } from './progress.ts';

type Lookup = (id: NodeId) => NodeStatus | undefined;

/**
 * Facts about the nodes that every event needs, so that no event has to visit all of them. {@link note} updates them
 * node by node, both in the draft of a decision and in the stored run, and they equal an index that is made anew.
 */
export class RunIndex {
  readonly #workflow: string;
  /** Members of a node that are not fulfilled; of a group or dag also the hooks of its members. */
  readonly open: Counts;
  /** Existing members of a node, without hooks. */
  readonly created: Counts;
  /** Per boundary: Pod, Steps and DAG nodes that are pending or running. */
  readonly active: Counts;
  /** Per boundary: Pod, Steps and DAG nodes that failed. */
  readonly failed: Counts;
  /** All nodes that are not fulfilled. */
  readonly unfulfilled: IdSet;
  /** Daemons that are up. */
  readonly daemons: IdSet;
  /** Pods that are pending or running, daemons not among them. */
  pods: number;
  progress: Progress;

  constructor(workflow: string, base?: RunIndex) {
    this.#workflow = workflow;
    this.open = new Counts(base?.open);
    this.created = new Counts(base?.created);
    this.active = new Counts(base?.active);
    this.failed = new Counts(base?.failed);
    this.unfulfilled = new IdSet(base?.unfulfilled);
    this.daemons = new IdSet(base?.daemons);
    this.pods = base?.pods ?? 0;
    this.progress = base?.progress ?? { done: 0, total: 0 };
  }

  /** Takes a node as it was and as it is now. */
  note(before: NodeStatus | undefined, after: NodeStatus, get: Lookup): void {
    const opened = change(before, after, (node) => !isFulfilled(node));
    this.#noteOwners(after, before === undefined, opened, get);
    this.#noteBoundary(before, after);
    this.pods += change(before, after, isActivePod);
    this.#noteProgress(before, after);
    if (after.daemoned === true) this.daemons.add(after.id);
    else if (before?.daemoned === true) this.daemons.delete(after.id);
    if (opened > 0) this.unfulfilled.add(after.id);
    if (opened < 0) this.unfulfilled.delete(after.id);
  }

  /** The node that a node is a member of; undefined for the root and for what belongs to the workflow as a whole. */
  ownerOf(node: NodeStatus, get: Lookup): NodeStatus | undefined {
    const boundary = node.boundaryID === undefined ? undefined : get(node.boundaryID);
    const name = ownerName(node, boundary?.name);
    if (name === undefined) return undefined;
    return name === boundary?.name ? boundary : get(nodeId(this.#workflow, name));
  }

  #noteOwners(node: NodeStatus, isNew: boolean, opened: number, get: Lookup): void {
    const owner = this.ownerOf(node, get);
    if (owner === undefined) return;
    this.open.add(owner.id, opened);
    if (!node.nodeFlag?.hooked) {
      if (isNew) this.created.add(owner.id, 1);
      return;
    }
    const outer = this.ownerOf(owner, get);
    if (outer !== undefined) this.open.add(outer.id, opened);
  }

  #noteBoundary(before: NodeStatus | undefined, after: NodeStatus): void {
    if (after.boundaryID === undefined || !isCounted(after)) return;
    this.active.add(after.boundaryID, change(before, after, isActive));
    this.failed.add(after.boundaryID, change(before, after, isFailed));
  }

  #noteProgress(before: NodeStatus | undefined, after: NodeStatus): void {
    const [was, is] = [progressOf(before), progressOf(after)];
    const { done, total } = this.progress;
    this.progress = { done: done + is.done - was.done, total: total + is.total - was.total };
  }
}

/** 1 where it has become true, -1 where it is so no more. */
function change(
  before: NodeStatus | undefined,
  after: NodeStatus,
  holds: (node: NodeStatus) => boolean,
): number {
  return Number(holds(after)) - Number(before !== undefined && holds(before));
}

function isActivePod(node: NodeStatus): boolean {
  return (
    node.type === 'Pod' &&
    isActive(node) &&
    node.daemoned !== true &&
    node.synchronizationStatus?.waiting === undefined
  );
}

/** Counts by node, over those of another table that stays as it is. */
class Counts {
  readonly #base: Counts | undefined;
  readonly #own = new Map<NodeId, number>();

  constructor(base?: Counts) {
    this.#base = base;
  }

  get(id: NodeId): number {
    return this.#own.get(id) ?? this.#base?.get(id) ?? 0;
  }

  add(id: NodeId, amount: number): void {
    if (amount === 0) return;
    const count = this.get(id) + amount;
    if (count === 0 && this.#base === undefined) this.#own.delete(id);
    else this.#own.set(id, count);
  }

  /** All that are not 0. Only of a table without another below it. */
  entries(): [NodeId, number][] {
    return [...this.#own];
  }
}

/** Ids, over those of another set that stays as it is. */
class IdSet {
  readonly #base: IdSet | undefined;
  readonly #own = new Set<NodeId>();
  readonly #gone = new Set<NodeId>();

  constructor(base?: IdSet) {
    this.#base = base;
  }

  add(id: NodeId): void {
    this.#gone.delete(id);
    if (this.#base?.has(id) !== true) this.#own.add(id);
  }

  delete(id: NodeId): void {
    this.#own.delete(id);
    if (this.#base !== undefined) this.#gone.add(id);
  }

  has(id: NodeId): boolean {
    return this.#own.has(id) || (this.#base?.has(id) === true && !this.#gone.has(id));
  }

  *[Symbol.iterator](): IterableIterator<NodeId> {
    for (const id of this.#base ?? []) if (!this.#gone.has(id)) yield id;
    yield* this.#own;
  }
}
