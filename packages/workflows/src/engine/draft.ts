import { metaTime } from '@turnsole/kube/text/time';
import { nodeId } from '../kinds/pod-names.ts';
import type { NodeId, NodePhase, NodeStatus } from '../kinds/status.ts';
import type { WorkflowStep } from '../kinds/template.ts';
import type { Action } from './change.ts';
import type { Element } from './frames.ts';
import { isFulfilled } from './node-state.ts';
import type { Run, RunStatus, StatusChange } from './run.ts';
import { RunIndex } from './run-index.ts';
import { globalNames } from './substitution/globals.ts';
import { layered, lazily, type Names, namesOf } from './substitution/names.ts';
import type { PassOptions } from './substitution/render.ts';

/** How the workflow is going to end, for its exit handler. */
export interface Ending {
  readonly phase: string;
  /** Text of what failed; dear, and seldom asked for. */
  readonly failures: () => string;
}

/**
 * A decision in the making: a run as it is, and over it what has been decided so far. The run itself stays as it is.
 */
export class Draft {
  readonly run: Run;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly index: RunIndex;
  readonly actions: Action[] = [];
  /** Nodes whose new phase others may wait for. */
  readonly queue: NodeId[] = [];
  /** Dags that may be over: judged once everything else is settled, as that looks at all of their tasks. */
  readonly toAssess = new Set<NodeId>();
  /** Goes on with a node that has just been made: set by the module that knows all kinds of nodes. */
  readonly begin: (node: NodeStatus) => void;
  /** What a step or task of a boundary stands for: set by the module that replaces tags. */
  readonly resolve: (boundary: NodeStatus, step: WorkflowStep) => readonly Element[];
  /** The phase that the workflow is going to have, for its exit handler. */
  #ending: Ending | undefined;
  /** How many nodes were looked at; shows that the work follows neighbours and not the size of the run. */
  visits = 0;
  readonly #nodes = new Map<NodeId, NodeStatus>();
  #status: StatusChange = {};
  #globals: Names | undefined;

  constructor(
    run: Run,
    now: number,
    begin: (draft: Draft, node: NodeStatus) => void,
    resolve: (draft: Draft, boundary: NodeStatus, step: WorkflowStep) => readonly Element[],
  ) {
    this.run = run;
    this.now = now;
    this.begin = (node) => begin(this, node);
    this.resolve = (boundary, step) => resolve(this, boundary, step);
    this.index = new RunIndex(run.workflow.metadata.name, run.index);
  }

  get workflowName(): string {
    return this.run.workflow.metadata.name;
  }

  get nodes(): NodeStatus[] {
    return [...this.#nodes.values()];
  }

  get status(): RunStatus {
    return { ...this.run.status, ...this.#status };
  }

  get statusChange(): StatusChange {
    return this.#status;
  }

  setStatus(change: StatusChange): void {
    this.#status = { ...this.#status, ...change };
    this.#globals = undefined;
  }

  readonly get = (id: NodeId): NodeStatus | undefined => {
    this.visits++;
    return this.#nodes.get(id) ?? this.run.nodes.get(id);
  };

  named(name: string): NodeStatus | undefined {
    return this.get(nodeId(this.workflowName, name));
  }

  /** The enclosing Steps or DAG node; of a Container its Pod. */
  boundaryOf({ boundaryID }: Pick<NodeStatus, 'boundaryID'>): NodeStatus | undefined {
    return boundaryID === undefined ? undefined : this.get(boundaryID);
  }

  childrenOf({ children = [] }: NodeStatus): NodeStatus[] {
    return children.map(this.get).filter((child) => child !== undefined);
  }

  /** The nodes that are not fulfilled, each as it is when its turn comes. */
  *unfulfilled(): IterableIterator<NodeStatus> {
    for (const id of [...this.index.unfulfilled]) {
      const node = this.get(id);
      if (node !== undefined) yield node;
    }
  }

  /** All nodes, for work that is done once in the life of a workflow. */
  *all(): IterableIterator<NodeStatus> {
    for (const node of this.run.nodes.values()) yield this.#nodes.get(node.id) ?? node;
    for (const node of this.#nodes.values()) if (!this.run.nodes.has(node.id)) yield node;
  }

  put(node: NodeStatus): NodeStatus {
    const before = this.get(node.id);
    if (before === node) return node;
    this.#nodes.set(node.id, node);
    this.index.note(before, node, this.get);
    const isNews =
      before === undefined || before.phase !== node.phase || isFulfilled(before) !== isFulfilled(node);
    if (isNews) this.queue.push(node.id);
    return node;
  }

  update(node: NodeStatus, change: Partial<NodeStatus>): NodeStatus {
    const current = this.get(node.id) ?? node;
    const isSame = Object.entries(change).every(
      ([field, value]) => current[field as keyof NodeStatus] === value,
    );
    if (isSame) return current;
    const next = Object.entries({ ...current, ...change }).filter(([, value]) => value !== undefined);
    return this.put(Object.fromEntries(next) as unknown as NodeStatus);
  }

  /** Ends a node as of now. */
  end(
    node: NodeStatus,
    phase: NodePhase,
    message: string | undefined,
    change: Partial<NodeStatus> = {},
  ): NodeStatus {
    return this.update(node, { phase, message, finishedAt: this.time, ...change });
  }

  addChild(parent: NodeId, child: NodeId): void {
    const node = this.get(parent);
    if (node === undefined || node.children?.includes(child)) return;
    this.update(node, { children: [...(node.children ?? []), child] });
  }

  set ending(ending: Ending) {
    this.#ending = ending;
    this.#globals = undefined;
  }

  get globals(): Names {
    this.#globals ??= this.#globalNames();
    return this.#globals;
  }

  #globalNames(): Names {
    const facts = { ...this.run, parameters: this.run.parameters.values };
    const names = globalNames(facts, this.status, this.now);
    const ending = this.#ending;
    if (ending === undefined) return namesOf(names);
    names.set('workflow.status', ending.phase);
    return layered(lazily('workflow.failures', ending.failures), namesOf(names));
  }

  pass(pass: PassOptions['pass']): PassOptions {
    return { pass, random: this.run.options.random, now: this.now };
  }

  get time(): string {
    return metaTime(this.now);
  }
}
