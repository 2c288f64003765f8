import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { nodesOf } from './nodes.ts';
import { phaseText } from './phase.ts';

/** A change, in words. */
interface NodeChangeLine {
  readonly text: string;
  /** Absent: the workflow itself. */
  readonly node?: NodeStatus;
}

/** Changes of a workflow and of its nodes, each reported once. For groups, their members are reported. */
export class NodeFeed {
  readonly #given = new Map<string, string>();

  next(workflow: Workflow): NodeChangeLine[] {
    const { name } = workflow.metadata;
    const nodes = Object.values(nodesOf(workflow)).filter(({ type }) => type !== 'StepGroup');
    const lines: NodeChangeLine[] = nodes.flatMap((node) => {
      const state = stateText(node.phase, node.message);
      return this.#isNew(node.id, state) ? [{ text: `${node.name}: ${state}`, node }] : [];
    });
    const state = stateText(phaseText(workflow), workflow.status?.message);
    return this.#isNew('', state) ? [...lines, { text: `workflow ${name}: ${state}` }] : lines;
  }

  #isNew(key: string, state: string): boolean {
    if (this.#given.get(key) === state) return false;
    this.#given.set(key, state);
    return true;
  }
}

function stateText(phase: string, message: string | undefined): string {
  return message === undefined || message === '' ? phase : `${phase} (${message.split('\n')[0]})`;
}
