import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { WorkflowTimelineEntry } from '../workflows/timeline.ts';

/** The present activity, for the live line of a terminal. */
export interface LiveState {
  readonly engine: string;
  readonly experiment?: string;
  readonly phase: string;
  /** When chaos began and how long it lasts, once known. */
  readonly chaosStartedAtMs?: number;
  readonly chaosDurationMs?: number;
  readonly probes: readonly { readonly name: string; readonly verdict: string }[];
}

/** How a run shows people what it does. */
export interface Progress {
  /** A step of the command itself. */
  step(message: string): void;
  /** A step of the run, as recorded in the timeline. */
  entry(entry: WorkflowTimelineEntry): void;
  /** A line of a component's log. */
  log(source: string, line: string): void;
  /** Replaces the live line; `undefined` removes it. */
  live(state: LiveState | undefined): void;
  /** Replaces the tree of a workflow that runs; `undefined` removes it. */
  workflow(workflow: Workflow | undefined): void;
  close(): void;
}
