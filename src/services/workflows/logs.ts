import type { Pod } from '@turnsole/kube/kinds/core';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { followedLogs, type LogOptions, type LogPods, presentLogs } from '../logs/pod-logs.ts';
import { followWorkflow } from './follow.ts';

/** Which logs, and how much of them. */
interface WorkflowLogOptions extends LogOptions {
  /** Only this pod. */
  readonly pod?: string;
  /** @default `main`, or in pods that have none what their annotation names */
  readonly container?: string;
  /** Until the workflow has ended. */
  readonly follow: boolean;
  readonly labelSelector?: string;
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';
/** The containers of Argo's own executor. */
const HELPERS = ['wait', 'init', 'supervisor'];

/** Passes on the output of a workflow's pods: of the present ones one after the other, or of all as it comes. */
export async function workflowLogs(workflow: Workflow, options: WorkflowLogOptions): Promise<void> {
  const { pod: only, container, labelSelector } = options;
  const { name, namespace = '' } = workflow.metadata;
  const own = `${LABEL_WORKFLOW}=${name}`;
  const pods: LogPods = {
    namespace,
    labelSelector: labelSelector === undefined ? own : `${own},${labelSelector}`,
    isMeant: ({ metadata }) => only === undefined || metadata.name === only,
    containerOf: (pod) => containerOf(pod, container),
  };
  if (options.follow) await followedLogs(pods, () => followWorkflow(workflow, options), options);
  else await presentLogs(pods, options);
}

/** The container whose log is wanted: the given one, else that of the step. Pure. */
function containerOf({ metadata, spec }: Pod, asked: string | undefined): string | undefined {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  if (asked !== undefined) return asked;
  if (names.includes('main')) return 'main';
  const marked = metadata.annotations?.[DEFAULT_CONTAINER];
  return marked !== undefined && names.includes(marked)
    ? marked
    : names.find((name) => !HELPERS.includes(name));
}
