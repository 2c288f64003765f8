import { parse } from 'yaml';
import { decodeWorkflow } from '../../kinds/decode/workflow.ts';
import type { Outputs } from '../../kinds/parameters.ts';
import type { NodePhase, NodeStatus } from '../../kinds/status.ts';
import type { WorkflowStatus } from '../../kinds/workflow.ts';
import type { Action, Change, ContainerFact, Decision, PodFact } from '../change.ts';
import { applyDecision, decided } from '../decide.ts';
import { createRun, type Facts, type Run, type RunOptions } from '../run.ts';

/** When the workflows of tests begin. */
export const START = Date.parse('2026-01-01T00:00:00Z');

const OPTIONS: RunOptions = { podNames: 'v2', mustReport: () => false, random: () => 0 };

/** A workflow named `w` whose pods are ended by hand. `spec` is YAML. */
export class Player {
  readonly run: Run;
  readonly actions: Action[] = [];
  now = START;
  last: Decision | undefined;
  /** Nodes that the last decision looked at. */
  visits = 0;

  /** `status` is the stored status of an earlier process. */
  constructor(
    spec: string,
    options: Partial<RunOptions> = {},
    status?: WorkflowStatus,
    workflowTemplates: Facts['workflowTemplates'] = new Map(),
  ) {
    const workflow = decodeWorkflow({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'w', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: parse(spec),
      ...(status && { status }),
    });
    const none = new Map();
    const facts = { workflowTemplates, clusterWorkflowTemplates: none, parameterConfigMaps: none };
    this.run = createRun(workflow, workflow.spec, facts, { ...OPTIONS, ...options }, START);
    this.feed({ kind: 'look' });
  }

  feed(change: Change): void {
    const { decision, visits } = decided(this.run, change, this.now);
    applyDecision(this.run, decision);
    this.last = decision;
    this.visits = visits;
    this.actions.push(...decision.actions);
  }

  /** Lets time pass, and the engine look. */
  wait(milliseconds: number): void {
    this.now += milliseconds;
    this.feed({ kind: 'look' });
  }

  /** Ends the pod of a node with a display name, the newest of them. */
  finish(displayName: string, phase: 'Succeeded' | 'Failed', outputs?: Outputs): void {
    const { id } = this.node(displayName);
    if (outputs !== undefined) this.feed({ kind: 'reported', node: id, outputs, isComplete: true });
    this.feed({ kind: 'podChanged', node: id, pod: endedPod(phase) });
  }

  node(displayName: string): NodeStatus {
    const found = [...this.run.nodes.values()].findLast((node) => node.displayName === displayName);
    if (found === undefined) throw new Error(`there is no node ${displayName}, but ${this.names.join(', ')}`);
    return found;
  }

  has(displayName: string): boolean {
    return [...this.run.nodes.values()].some((node) => node.displayName === displayName);
  }

  get names(): string[] {
    return [...this.run.nodes.values()].map((node) => node.displayName);
  }

  /** Display names of nodes in a phase that have a pod. */
  pods(phase: NodePhase): string[] {
    return [...this.run.nodes.values()]
      .filter((node) => node.type === 'Pod' && node.phase === phase)
      .map((node) => node.displayName);
  }

  /** `phase: message` of the workflow. */
  get result(): string {
    const { phase, message } = this.run.status;
    return message === undefined ? phase : `${phase}: ${message}`;
  }
}

export function endedPod(phase: 'Succeeded' | 'Failed'): PodFact {
  const exitCode = phase === 'Succeeded' ? 0 : 1;
  const reason = phase === 'Succeeded' ? 'Completed' : 'Error';
  const main: ContainerFact = { name: 'main', role: 'main', state: { kind: 'terminated', exitCode, reason } };
  return { name: 'pod', phase, containers: [main] };
}

export function runningPod(): PodFact {
  const main: ContainerFact = { name: 'main', role: 'main', state: { kind: 'running' }, ready: true };
  return { name: 'pod', phase: 'Running', containers: [main], ip: '10.0.0.1' };
}
