import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { ArtifactError } from '@turnsole/workflows/artifacts/artifact-error';
import { effectiveSpec } from '@turnsole/workflows/engine/effective-spec';
import { nodeMessage } from '@turnsole/workflows/engine/node-error';
import { isActive, isFulfilled } from '@turnsole/workflows/engine/node-state';
import { createRun, type Facts, type Run, type RunOptions } from '@turnsole/workflows/engine/run';
import { workflowMetadata } from '@turnsole/workflows/engine/workflow-metadata';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import { decodeWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import { ANNOTATION_NODE_ID, ANNOTATION_POD_NAME_FORMAT } from '@turnsole/workflows/kinds/labels';
import type { NodeId, WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { LabelsAndAnnotations, Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { areLogsKept, mustReport } from '@turnsole/workflows/pods/collection';
import { type Admission, POSTPONED } from './admission.ts';
import type { ObjectsPreparer } from './cleanup/preparer.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Estimator } from './estimates/estimator.ts';
import { factsOf } from './facts.ts';
import { judgeNewWorkflow } from './judge-new-workflow.ts';
import { type FirstWrite, LiveRun } from './live-run.ts';
import type { Locks } from './locks/locks.ts';
import type { Repositories, WorkflowRepository } from './repositories.ts';
import type { NamedSettings } from './settings.ts';
import { storedNodes } from './stored-nodes.ts';
import { reportOf } from './task-results.ts';
import type { WorkflowStore } from './workflow-store.ts';

/** The outcome of opening a workflow. */
export type Opened =
  | { readonly kind: 'live'; readonly live: LiveRun }
  | {
      readonly kind: 'refused';
      readonly served: Workflow;
      readonly phase: WorkflowPhase;
      readonly message: string;
    }
  | { readonly kind: 'waiting'; readonly message: string; readonly againAfterMs?: number }
  /** It is no longer there, or over. */
  | { readonly kind: 'gone' };

/** A preparation that failed is tried again after this time. */
const PREPARE_AGAIN_MS = 5_000;

interface OpenerParts extends Omit<BasicsWithRandom, 'client'> {
  readonly view: ClusterView;
  readonly store: WorkflowStore;
  readonly locks: Locks;
  readonly admission: Admission;
  readonly settings: () => NamedSettings;
  readonly repositories: Repositories;
  readonly estimator: Pick<Estimator, 'of'>;
  readonly preparer: ObjectsPreparer;
}

/** Opens workflows: new ones are judged and prepared, others go on from the stored state. */
export class Opener {
  readonly #parts: OpenerParts;

  constructor(parts: OpenerParts) {
    this.#parts = parts;
  }

  async open(key: string, served: Workflow, signal: AbortSignal): Promise<Opened> {
    const { view, store } = this.#parts;
    const facts = factsOf(view, served.metadata.namespace ?? '');
    if (served.status === undefined) return await this.#begin(key, served, facts, signal);
    // The copy has no nodes.
    const fresh = await store.read(served, signal);
    if (fresh === undefined || isCompleted(fresh) || fresh.metadata.uid !== served.metadata.uid)
      return { kind: 'gone' };
    const { phase = '' } = fresh.status ?? {};
    const hasNodes = Object.keys(storedNodes(fresh.status)).length > 0;
    return hasNodes || phase === 'Running'
      ? await this.#goOn(key, fresh, facts, signal)
      : await this.#begin(key, fresh, facts, signal);
  }

  async #begin(key: string, served: Workflow, facts: Facts, signal: AbortSignal): Promise<Opened> {
    const { preparer, settings, clock } = this.#parts;
    const sight = judgeNewWorkflow(served, facts, settings().workflowDefaults);
    if (sight.kind === 'refused') return { ...sight, served };
    const { spec, first } = sight;
    if (!this.#mayBegin(key, sight.workflow, spec)) return { kind: 'waiting', message: POSTPONED };
    const prepared = await preparer.prepare(sight.workflow, spec, signal);
    if (prepared.kind === 'failed')
      return { kind: 'refused', served, phase: 'Error', message: prepared.message };
    if (prepared.kind === 'waiting')
      return { kind: 'waiting', message: prepared.message, againAfterMs: PREPARE_AGAIN_MS };
    const workflow = { ...sight.workflow, status: { ...sight.workflow.status, ...prepared.status } };
    const made = await this.#makeRun(workflow, spec, facts, signal);
    if (typeof made === 'string') return { kind: 'refused', served, phase: 'Error', message: made };
    const { run, repository } = made;
    const status = {
      ...first.status,
      ...prepared.status,
      ...(repository && { artifactRepositoryRef: repository.reference }),
    };
    const firstWrite: FirstWrite = { ...first, ...(Object.keys(status).length > 0 && { status }) };
    const metadata = ownMetadata(run, clock.now());
    if (typeof metadata === 'string') return { kind: 'refused', served, phase: 'Error', message: metadata };
    const live = new LiveRun(key, run, served);
    live.first = withMetadata(firstWrite, metadata);
    live.repository = repository?.repository;
    // Ask again for a lock that the workflow waited for.
    live.inbox.push(run.status.phase === 'Pending' ? { kind: 'unanswered', node: '' } : { kind: 'look' });
    return { kind: 'live', live };
  }

  async #goOn(key: string, served: Workflow, facts: Facts, signal: AbortSignal): Promise<Opened> {
    const { view } = this.#parts;
    let workflow: Workflow;
    let spec: WorkflowSpec;
    try {
      const decoded = decodeWorkflow(served);
      workflow = { ...decoded, status: { ...decoded.status, nodes: storedNodes(served.status) } };
      spec = effectiveSpec(workflow, facts);
    } catch (error) {
      return { kind: 'refused', served, phase: 'Error', message: nodeMessage(error) };
    }
    const made = await this.#makeRun(workflow, spec, facts, signal);
    if (typeof made === 'string') return { kind: 'refused', served, phase: 'Error', message: made };
    const { run, repository } = made;
    const live = new LiveRun(key, run, served);
    live.repository = repository?.repository;
    const withPod = new Set<NodeId>();
    for (const pod of view.podsOf(key)) {
      const node = pod.metadata.annotations?.[ANNOTATION_NODE_ID];
      if (node === undefined) continue;
      withPod.add(node);
      live.touchedPods.set(pod.metadata.name, { pod, isGone: false });
      live.podNames.set(node, pod.metadata.name);
      this.#endLeftOver(live, node, isFinished(pod));
    }
    live.inbox.push(...view.resultsOf(key).map(reportOf));
    askAgain(live, withPod);
    this.#parts.locks.releaseEnded(live);
    live.inbox.push({ kind: 'look' });
    return { kind: 'live', live };
  }

  /** The process that decided that a pod has to end may not have come to it. */
  #endLeftOver(live: LiveRun, id: NodeId, isEnded: boolean): void {
    const node = live.run.nodes.get(id);
    if (isEnded || node === undefined || isActive(node)) return;
    live.actions.push({ kind: 'endPod', node: id, isPending: false });
  }

  /** Whether a workflow may begin now. One that is shut down before it has begun needs no place among those that run. */
  #mayBegin(key: string, { metadata }: Workflow, { shutdown, priority = 0 }: WorkflowSpec): boolean {
    if (shutdown !== undefined) return true;
    const createdAt = Date.parse(metadata.creationTimestamp ?? '') || 0;
    const { namespace = '' } = metadata;
    return this.#parts.admission.admits({ key, namespace, priority, createdAt });
  }

  /** The run of a workflow, and the repository of its artifacts. A text is the reason why no repository can be used. */
  async #makeRun(
    workflow: Workflow,
    spec: WorkflowSpec,
    facts: Facts,
    signal: AbortSignal,
  ): Promise<{ readonly run: Run; readonly repository: WorkflowRepository | undefined } | string> {
    const [repository, estimates] = await Promise.all([
      this.#repositoryOf(workflow, spec, signal),
      this.#parts.estimator.of(workflow, signal),
    ]);
    if (typeof repository === 'string') return repository;
    const options = { ...this.#options(workflow, spec, repository), estimates };
    return { run: createRun(workflow, spec, facts, options, this.#parts.clock.now()), repository };
  }

  /** A text is the reason why no repository can be used. */
  async #repositoryOf(
    workflow: Workflow,
    spec: WorkflowSpec,
    signal: AbortSignal,
  ): Promise<WorkflowRepository | undefined | string> {
    try {
      return await this.#parts.repositories.of(workflow, spec, signal);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      return `cannot resolve the artifact repository: ${error.message}`;
    }
  }

  #options(
    { metadata }: Workflow,
    spec: WorkflowSpec,
    repository: WorkflowRepository | undefined,
  ): RunOptions {
    const { settings, random } = this.#parts;
    const { podNames, pods } = settings();
    const format = metadata.annotations?.[ANNOTATION_POD_NAME_FORMAT];
    return {
      podNames: format === 'v1' || format === 'v2' ? format : podNames,
      random,
      mustReport: (template, wantsResult) =>
        mustReport(template, {
          wantsResult,
          archiveLogs: areLogsKept(template, spec, pods, repository?.repository),
        }),
    };
  }
}

/** Asks again for open nodes without a pod: they may never have got what they asked for, or have lost it. */
function askAgain(
  { run, inbox }: { readonly run: Run; readonly inbox: LiveRun['inbox'] },
  withPod: ReadonlySet<NodeId>,
): void {
  for (const id of run.index.unfulfilled) {
    const node = run.nodes.get(id);
    if (node === undefined || withPod.has(id)) continue;
    if (node.phase === 'Pending' || node.type === 'HTTP' || node.type === 'Plugin')
      inbox.push({ kind: 'unanswered', node: id });
    else if (node.type === 'Pod' && !isFulfilled(node)) inbox.push({ kind: 'podGone', node: id });
  }
  for (const id of run.index.daemons) if (!withPod.has(id)) inbox.push({ kind: 'podGone', node: id });
}

/** The workflow's own labels and annotations; a text says why they cannot be evaluated. */
function ownMetadata(run: Run, now: number): LabelsAndAnnotations | string {
  try {
    return workflowMetadata(run, now);
  } catch (error) {
    return nodeMessage(error);
  }
}

function withMetadata(first: FirstWrite, { labels, annotations }: LabelsAndAnnotations): FirstWrite {
  const { metadata } = first;
  return {
    ...first,
    metadata: {
      ...metadata,
      labels: { ...(metadata?.['labels'] as object | undefined), ...labels },
      annotations: { ...(metadata?.['annotations'] as object | undefined), ...annotations },
    },
  };
}
