import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import type { NodeId, NodeStatus, WorkflowPhase } from '../kinds/status.ts';
import type { Template } from '../kinds/template.ts';
import type {
  ShutdownStrategy,
  Workflow,
  WorkflowSpec,
  WorkflowStatus,
  WorkflowTemplate,
} from '../kinds/workflow.ts';
import type { Element, Frame } from './frames.ts';
import { type GlobalParameters, resolveParameters } from './global-parameters.ts';
import { RunIndex } from './run-index.ts';

/** What the engine may read of other objects. The shell keeps it up to date. */
export interface Facts {
  readonly workflowTemplates: ReadonlyMap<string, WorkflowTemplate>;
  readonly clusterWorkflowTemplates: ReadonlyMap<string, WorkflowTemplate>;
  /** Data of the ConfigMaps of the namespace that carry the label for parameters, by name. */
  readonly parameterConfigMaps: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** How long what runs is likely to take, in whole seconds above 0; absent where nothing is known. */
export interface Estimates {
  readonly workflow?: number;
  /** @param name of the node @param workflow whose name it begins with */
  readonly node: (name: string, workflow: string) => number | undefined;
}

export interface RunOptions {
  /** `v1`: a pod has the id of its node. */
  readonly podNames: 'v1' | 'v2';
  /** Whether a pod of this template reports outputs, so that its node waits for them. */
  readonly mustReport: (template: Template, wantsResult: boolean) => boolean;
  /** From 0 up to, but not including, 1; for expressions that draw lots. */
  readonly random: () => number;
  /** @default nothing is known */
  readonly estimates?: Estimates | undefined;
}

/** Fields of the status beside the nodes. */
export interface RunStatus
  extends Pick<
    WorkflowStatus,
    | 'message'
    | 'startedAt'
    | 'finishedAt'
    | 'progress'
    | 'estimatedDuration'
    | 'outputs'
    | 'storedWorkflowTemplateSpec'
    | 'resourcesDuration'
  > {
  readonly phase: WorkflowPhase;
  readonly storedTemplates: Readonly<Record<string, Template>>;
}

export type StatusChange = { readonly [Field in keyof RunStatus]?: RunStatus[Field] | undefined };

/** Controls that clients change while the workflow runs. */
export interface Controls {
  readonly suspend: boolean;
  readonly shutdown?: ShutdownStrategy;
  readonly activeDeadlineSeconds?: number;
  /** Whether the lock of the workflow itself is held. */
  readonly isLocked: boolean;
}

/**
 * A workflow in memory. `nodes`, `status` and `controls` are the facts; `index` and `frames` follow from them. Only `applyDecision`
 * and `applyControls` alter it.
 */
export interface Run {
  readonly workflow: Workflow;
  /** The effective spec: with that of the referenced template below it. */
  readonly spec: WorkflowSpec;
  readonly facts: Facts;
  readonly options: RunOptions;
  readonly nodes: Map<NodeId, NodeStatus>;
  status: RunStatus;
  controls: Controls;
  index: RunIndex;
  /** Frames of composite nodes, cached because they are dear; they can be computed again at any time. */
  readonly frames: Map<NodeId, Frame>;
  /** What groups of steps and loops of tasks consist of, kept for the same reason. */
  readonly elements: Map<NodeId, readonly Element[]>;
  /** Values of the workflow's own parameters. */
  readonly parameters: GlobalParameters;
}

/** A run from the stored workflow. Tags in the workflow's own arguments are replaced as of `now`. */
export function createRun(
  workflow: Workflow,
  spec: WorkflowSpec,
  facts: Facts,
  options: RunOptions,
  now: number,
): Run {
  const nodes = new Map(Object.entries(workflow.status?.nodes ?? {}));
  const { phase = '', ...stored } = workflow.status ?? {};
  const { message, startedAt, finishedAt, progress, estimatedDuration, outputs } = stored;
  const { suspend = false, shutdown, activeDeadlineSeconds } = spec;
  const run: Run = {
    workflow,
    spec,
    facts,
    options,
    nodes,
    status: {
      phase,
      storedTemplates: workflow.status?.storedTemplates ?? {},
      ...withoutUndefined({ message, startedAt, finishedAt, progress, estimatedDuration, outputs }),
    },
    controls: { suspend, isLocked: false, ...withoutUndefined({ shutdown, activeDeadlineSeconds }) },
    index: new RunIndex(workflow.metadata.name),
    frames: new Map(),
    elements: new Map(),
    parameters: resolveParameters(workflow, spec, facts.parameterConfigMaps, { random: options.random, now }),
  };
  run.index = rebuildIndex(run);
  return run;
}

/** The index as it follows from the nodes alone. */
export function rebuildIndex({ nodes, workflow }: Pick<Run, 'nodes' | 'workflow'>): RunIndex {
  const index = new RunIndex(workflow.metadata.name);
  const get = (id: NodeId): NodeStatus | undefined => nodes.get(id);
  for (const node of nodes.values()) index.note(undefined, node, get);
  return index;
}
