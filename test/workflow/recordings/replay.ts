import type { Action, Change, CreatePod } from '@turnsole/workflows/engine/change';
import { applyDecision, decide } from '@turnsole/workflows/engine/decide';
import { effectiveSpec } from '@turnsole/workflows/engine/effective-spec';
import { createRun, type Facts, type Run } from '@turnsole/workflows/engine/run';
import type { NodePhase, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { ShutdownStrategy, Workflow } from '@turnsole/workflows/kinds/workflow';
import { Locks } from './locks.ts';
import { endedPod, pendingPod, runningPod } from './pods.ts';
import type { RecordedAction, RecordedChange, RecordedPod, Recording } from './recording.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

/** What the engine made of a recording. */
export interface Replayed {
  readonly run: Run;
  readonly pods: readonly CreatePod[];
  /** The error that ended it early. */
  readonly error?: unknown;
}

/** Feeds the engine with what happened to the pods of a recording, in that order and at those times. */
export function replay(recording: Recording, workflow: Workflow, facts: Facts): Replayed {
  const player = new Player(recording, workflow, facts);
  try {
    player.play();
    return { run: player.run, pods: player.pods };
  } catch (error) {
    return { run: player.run, pods: player.pods, error };
  }
}

class Player {
  readonly run: Run;
  readonly pods: CreatePod[] = [];
  readonly #recording: Recording;
  readonly #podsByNode: ReadonlyMap<string, RecordedPod>;
  readonly #actions: RecordedAction[];
  readonly #locks = new Locks();
  readonly #fed = new Map<string, string>();
  #now = START;
  /** Whether the next action waits for the change that shows it. */
  #isHeld = false;
  #wakeAt: number | undefined;

  constructor(recording: Recording, workflow: Workflow, facts: Facts) {
    this.#recording = recording;
    this.#podsByNode = new Map(
      recording.pods.map((pod) => [pod.annotations['workflows.argoproj.io/node-name'] ?? '', pod]),
    );
    this.#actions = [...(recording.actions ?? [])];
    const podNames = recording.annotations['workflows.argoproj.io/pod-name-format'] === 'v1' ? 'v1' : 'v2';
    const options = { podNames, mustReport: () => true, random: () => 0 } as const;
    this.run = createRun(workflow, effectiveSpec(workflow, facts), facts, options, START);
  }

  play(): void {
    this.#feed({ kind: 'look' });
    for (const { ms, changes } of this.#recording.transitions) {
      this.#wait(START + ms);
      this.#shutDown(changes);
      for (const [name, phase, message] of changes) this.#follow(name, phase, message);
    }
    // What a watch did not show, and what takes longer here than it took there.
    for (let round = 0; round < 50 && !this.#isOver(); round++) {
      for (const name of this.#podsByNode.keys()) this.#end(name);
      this.#answerTasks();
      if (this.#wakeAt !== undefined) this.#wait(this.#wakeAt);
    }
  }

  /** A workflow that did not end by itself was ended by the recorder; nodes and message show when the controller saw it. */
  #shutDown(changes: readonly RecordedChange[]): void {
    const { specShutdown } = this.#recording;
    if (specShutdown === null || this.run.controls.shutdown !== undefined) return;
    const [next] = this.#actions;
    if (next !== undefined && !shutsDown(next)) return;
    if (!changes.some(showsShutdown)) return;
    this.#actions.shift();
    this.#isHeld = false;
    this.#feed({ kind: 'specChanged', shutdown: specShutdown as ShutdownStrategy });
  }

  /** Whether the controller saw nodes succeed, and only then that the recorder had ended the workflow. */
  #isSeenLater(): boolean {
    const { transitions } = this.#recording;
    const shown = transitions.findIndex(({ changes }) => changes.some(showsShutdown));
    return transitions
      .slice(0, Math.max(shown, 0))
      .some(
        ({ ms, changes }) => START + ms > this.#now && changes.some(([, phase]) => phase === 'Succeeded'),
      );
  }

  #isOver(): boolean {
    return this.run.status.finishedAt !== undefined;
  }

  #wait(until: number): void {
    while (this.#wakeAt !== undefined && this.#wakeAt <= until) {
      this.#now = this.#wakeAt;
      this.#wakeAt = undefined;
      this.#feed({ kind: 'look' });
    }
    this.#now = Math.max(this.#now, until);
  }

  #feed(change: Change): void {
    const decision = decide(this.run, change, this.#now);
    applyDecision(this.run, decision);
    this.#wakeAt = decision.wakeAt;
    for (const action of decision.actions) this.#carryOut(action);
    this.#act();
  }

  #carryOut(action: Action): void {
    switch (action.kind) {
      case 'createPod':
        this.pods.push(action);
        return;
      case 'acquireLocks':
        for (const change of this.#locks.acquire(this.run, action)) this.#feed(change);
        return;
      case 'releaseLocks':
        for (const change of this.#locks.release(this.run, action.node)) this.#feed(change);
        return;
      case 'readCache':
        this.#readCache(action.node);
        return;
      case 'endPod':
      case 'runTask':
      case 'saveCache':
    }
  }

  /** A hit is what the recording shows as one. */
  #readCache(id: string): void {
    const node = this.#recording.nodes.find((candidate) => candidate.id === id);
    const status = node?.['memoizationStatus'] as { readonly hit?: boolean } | undefined;
    const isError = status === undefined && node?.phase === 'Error';
    this.#feed({
      kind: 'cacheRead',
      node: id,
      ...(status?.hit === true && { outputs: (node?.['outputs'] as NodeStatus['outputs']) ?? {} }),
      ...(isError && { error: String(node?.['message']) }),
    });
  }

  #node(name: string): NodeStatus | undefined {
    return [...this.run.nodes.values()].find((node) => node.name === name);
  }

  #follow(name: string, phase: string | null, message: string): void {
    const pod = this.#podsByNode.get(name);
    if (pod === undefined) {
      if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Error') this.#answerTasks();
      return;
    }
    const node = this.#node(name);
    if (node === undefined) return;
    if (message === 'pod deleted') {
      // It was gone when the controller looked, although the recorder had seen its end.
      this.#fed.set(name, pod.phases.at(-1) ?? '');
      this.#feed({ kind: 'reported', node: node.id, isComplete: true });
      this.#feed({ kind: 'podGone', node: node.id });
    } else if (phase === 'Pending') {
      if (message !== '' && !message.startsWith('Waiting for')) {
        this.#feed({ kind: 'podChanged', node: node.id, pod: pendingPod(pod, message) });
      }
    } else if (phase === 'Running') {
      this.#feed({ kind: 'podChanged', node: node.id, pod: runningPod(pod) });
    } else if (!message.startsWith('workflow shutdown with strategy:') || phase === 'Succeeded') {
      this.#end(name);
    }
  }

  /** The pod reports, and ends. */
  #end(name: string): void {
    const pod = this.#podsByNode.get(name);
    const node = this.#node(name);
    const last = pod?.phases.at(-1);
    if (pod === undefined || node === undefined || this.#fed.get(name) === last) return;
    if (last !== 'Succeeded' && last !== 'Failed') return;
    // A daemon was ended by the controller, and its node did not wait for that.
    const recorded = this.#recording.nodes.find((candidate) => candidate.name === name);
    if (node.daemoned === true && recorded?.phase === 'Succeeded') return;
    if (!this.pods.some((created) => created.node === node.id)) return;
    this.#fed.set(name, last);
    const report = this.#recording.taskResults.find(
      (result) => result.node === name && recorded?.['taskResultSynced'] !== undefined,
    );
    if (report !== undefined) {
      const outputs = report.outputs ?? undefined;
      this.#feed({ kind: 'reported', node: node.id, isComplete: true, ...(outputs && { outputs }) });
    }
    this.#feed({
      kind: 'podChanged',
      node: node.id,
      pod: { ...endedPod(pod, recorded), finishedAt: this.#now },
    });
    if (report === undefined && recorded?.['taskResultSynced'] === true)
      this.#feed({ kind: 'reported', node: node.id, isComplete: true });
  }

  #answerTasks(): void {
    for (const { status } of this.#recording.taskSets ?? []) {
      for (const [node, answer] of Object.entries(status?.nodes ?? {})) {
        if (!this.run.nodes.has(node) || this.#fed.has(node)) continue;
        this.#fed.set(node, answer.phase);
        this.#feed({ kind: 'taskAnswered', node, ...answer, phase: answer.phase as NodePhase });
      }
    }
  }

  /** What the recorder did when a node had come so far. */
  #act(): void {
    const [next] = this.#actions;
    if (next === undefined || !this.#isReached(next.when)) return;
    this.#isHeld ||= shutsDown(next) && this.#isSeenLater();
    if (this.#isHeld) return;
    this.#actions.shift();
    const { patch, set, only } = next.do;
    if (next.do.do === 'patch') this.#patch(patch?.spec ?? {});
    if (next.do.do === 'resume') this.#resume(next.when.suspended ?? '', set ?? {}, only);
  }

  #isReached({ node, phase, suspended }: RecordedAction['when']): boolean {
    const nodes = [...this.run.nodes.values()];
    if (suspended !== undefined) {
      return nodes.some(
        ({ displayName, type, phase: is }) =>
          displayName === suspended && type === 'Suspend' && is === 'Running',
      );
    }
    return nodes.some(
      (candidate) => (candidate.displayName === node || candidate.name === node) && candidate.phase === phase,
    );
  }

  #patch({ shutdown, suspend }: Readonly<Record<string, unknown>>): void {
    this.#feed({
      kind: 'specChanged',
      ...(shutdown !== undefined && { shutdown: shutdown as 'Stop' | 'Terminate' }),
      ...(suspend !== undefined && { suspend: suspend === true }),
    });
  }

  #resume(displayName: string, set: Readonly<Record<string, string>>, only: string | undefined): void {
    const node = [...this.run.nodes.values()].find(
      (candidate) =>
        candidate.type === 'Suspend' &&
        candidate.phase === 'Running' &&
        candidate.displayName === (only ?? displayName),
    );
    if (node === undefined) return;
    const parameters = node.outputs?.parameters?.map((parameter) => {
      const value = set[parameter.name];
      return value === undefined ? parameter : { name: parameter.name, value };
    });
    const edited = {
      ...node,
      phase: 'Succeeded',
      progress: '1/1',
      finishedAt: new Date(this.#now).toISOString(),
      ...(parameters && { outputs: { ...node.outputs, parameters } }),
    } as const;
    this.#feed({ kind: 'nodesEdited', nodes: [edited] });
  }
}

function shutsDown({ do: { patch } }: RecordedAction): boolean {
  return patch?.spec?.['shutdown'] !== undefined;
}

function showsShutdown([, , message]: RecordedChange): boolean {
  return /^(?:workflow shutdown|Stopped) with strategy/.test(message);
}
