import type { Container, EnvVar } from '@turnsole/kube/kinds/core';
import type { ArtifactRepository } from '../artifacts/repository.ts';
import type { NodeId } from '../kinds/status.ts';
import type { Template } from '../kinds/template.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';

/** The settings of the controller that pods show. */
export interface PodSettings {
  /** Containers of Turnsole's own image, and what they run. */
  readonly helper: HelperSettings;
  /** Defaults of the main container (`mainContainer` of the configuration). */
  readonly mainContainer?: Partial<Container>;
  /** What images start, for those whose templates name no command (`images` of the configuration). */
  readonly images?: Readonly<Record<string, ImageCommand>>;
  /** The cluster's own knowledge of an image that `images` does not name: the embedded one has its catalogue. */
  readonly imageOf?: (image: string) => ImageCommand | undefined;
  /** Whether logs are kept where neither template nor workflow says it. @default false */
  readonly archiveLogs?: boolean;
  /** Variables that the user's containers of a node get besides `ARGO_…`, such as the span that they belong to. @default none */
  readonly env?: (workflow: Workflow, node: NodeId) => readonly EnvVar[];
  /** How long pods are kept when the workflow does not say. @default 5s */
  readonly podGcDeleteDelay?: string;
}

export interface ImageCommand {
  readonly entrypoint?: readonly string[];
  readonly args?: readonly string[];
}

export interface HelperSettings {
  readonly image: string;
  readonly imagePullPolicy?: string;
  readonly resources?: Container['resources'];
  /** Commands, each of which finds the node's order at {@link ORDER_FILE}. */
  readonly commands: {
    /** Puts the shell into its place, and input artifacts that have to be fetched. */
    readonly init: readonly string[];
    /** Waits for the main containers, uploads what they leave, and prints the outputs. */
    readonly wait: readonly string[];
    /** Carries out a `resource` template, and prints the outputs. */
    readonly resource: readonly string[];
    /** Carries out a `data` template, and prints the outputs. */
    readonly data: readonly string[];
    /** Deletes artifacts of a workflow, and reports at its end which are still there. */
    readonly garbage: readonly string[];
  };
}

/** What a pod takes from around its node. */
export interface PodOwner {
  readonly workflow: Workflow;
  /** The effective spec. */
  readonly spec: WorkflowSpec;
  /** The template of the enclosing steps or dag. */
  readonly boundary?: Template;
  /** The spec of the WorkflowTemplate that the template is of: its `podMetadata` counts over that of the workflow. */
  readonly library?: Pick<WorkflowSpec, 'podMetadata'>;
  /** Names of the workflow and their values, for tags in those fields of the spec that become fields of pods. */
  readonly names: ReadonlyMap<string, string>;
  /** The store of artifacts that name none; absent where the workflow has none. */
  readonly repository?: ArtifactRepository;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Where the order of a node is mounted: {@link NodeOrder} as JSON. */
export const ORDER_FILE = '/var/run/turnsole-order.json';
