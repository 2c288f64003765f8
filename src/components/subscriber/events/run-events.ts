import type { KubeObject } from '../../../api/core.ts';
import { CHAOS_ENGINES, CHAOS_RESULTS, WORKFLOWS } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import { dropManagedFields, Informer } from '../../../kube/runtime/informer.ts';
import type { Logger } from '../../../kube/runtime/log.ts';
import { indexByLabel } from '../../../kube/runtime/store.ts';
import { WorkQueue } from '../../../kube/runtime/work-queue.ts';
import type { Spool } from '../../../spool/spool.ts';
import { equalJson } from '../../../text/json.ts';
import type { Workflow } from '../../../workflows/kinds/workflow.ts';
import { storedNodes } from '../../workflow-controller/stored-nodes.ts';
import { LABEL_WORKFLOW_ID, LABEL_WORKFLOW_RUN_ID, runSelector } from '../labels.ts';
import { chaosDataOf } from './chaos-data.ts';
import { engineEvent } from './engine-event.ts';
import { findEngines } from './find-engines.ts';
import { isOver, type RunEvent } from './run-event.ts';
import { workflowEvent } from './workflow-event.ts';

/** What following runs needs. */
interface RunEventsOptions {
  readonly client: KubeClient;
  readonly infraID: string;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Milliseconds since 1970: runs made before are none of this infrastructure. */
  readonly startTime: number;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Runs that are worked on at the same time. */
const WORKERS = 8;
/** At the end, what is known is stored for so long; the next leader lists it anyway. */
const DRAIN_MS = 5_000;

type Run =
  | { readonly kind: 'workflow'; readonly object: Workflow }
  | { readonly kind: 'engine'; readonly object: ChaosEngine };

/**
 * Follows the runs of an infrastructure, and stores what becomes of each in the spool: level-based, so that states between two looks
 * may be left out, and the last one never is. After a start everything that is there is told once more: what was missed is made good.
 */
export class RunEvents {
  readonly #options: RunEventsOptions;
  readonly #workflows: Informer<Workflow>;
  readonly #standalone: Informer<ChaosEngine>;
  /** Of workflows. */
  readonly #engines: Informer<ChaosEngine>;
  readonly #queue: WorkQueue;
  /** The latest state of runs that are to be looked at, also of those that have been deleted since. */
  readonly #latest = new Map<string, Run>();
  /** What was said last of runs that go on. */
  readonly #said = new Map<string, RunEvent>();
  readonly #withoutRoom = new Set<string>();
  readonly #initial = new Set<string>();
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #end = new AbortController();
  #hasListed = false;
  #workers: Promise<void>[] = [];

  constructor(options: RunEventsOptions) {
    this.#options = options;
    const { client, clock, logger, namespace, infraID } = options;
    const shared = { client, clock, logger, namespace };
    const byUid = (object: KubeObject): readonly string[] => [object.metadata.uid ?? ''];
    this.#workflows = new Informer<Workflow>({
      ...shared,
      resource: WORKFLOWS,
      labelSelector: runSelector(infraID, 'workflow'),
      indexes: { uid: byUid },
      transform: slimWorkflow,
    });
    this.#standalone = new Informer<ChaosEngine>({
      ...shared,
      resource: CHAOS_ENGINES,
      labelSelector: runSelector(infraID, 'engine'),
      indexes: { uid: byUid },
    });
    this.#engines = new Informer<ChaosEngine>({
      ...shared,
      resource: CHAOS_ENGINES,
      labelSelector: LABEL_WORKFLOW_RUN_ID,
      indexes: { run: indexByLabel(LABEL_WORKFLOW_RUN_ID) },
      transform: slimEngine,
    });
    this.#queue = new WorkQueue({ clock });
  }

  /** Workflow of a run that is known, by its uid. */
  workflow(uid: string): Workflow | undefined {
    return this.#workflows.lister.byIndex('uid', uid)[0];
  }

  /** Throws what keeps the runs from being followed. */
  checkReady(): void {
    for (const informer of [this.#workflows, this.#standalone, this.#engines]) {
      if (!informer.hasSynced) throw new Error(`${informer.resource.plural} have not been listed yet`);
    }
  }

  /** Begins to follow; resolves when what was there has been stored. */
  async start(signal: AbortSignal): Promise<void> {
    this.#listen();
    const informers = [this.#workflows, this.#standalone, this.#engines];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.whenSynced(signal)));
    for (const uid of this.#latest.keys()) this.#initial.add(uid);
    this.#hasListed = true;
    this.#workers = Array.from({ length: WORKERS }, () => this.#work(this.#end.signal));
    this.#settle('');
    await this.#caughtUp.promise;
  }

  /** Ends; what is known already is stored first. */
  async stop(): Promise<void> {
    await Promise.all([this.#workflows, this.#standalone, this.#engines].map((one) => one.stop()));
    const cancel = this.#options.clock.setTimer(DRAIN_MS, () =>
      this.#end.abort(new Error('what was left took too long')),
    );
    await this.#queue.shutdown({ drain: true });
    await Promise.all(this.#workers);
    cancel();
    this.#caughtUp.resolve();
  }

  #listen(): void {
    const follow = (run: Run): void => {
      const { metadata } = run.object;
      if (!this.#isOurs(run.object)) return;
      const uid = metadata.uid ?? '';
      this.#latest.set(uid, run);
      this.#queue.add(uid);
    };
    const workflow = (object: Workflow): void => follow({ kind: 'workflow', object });
    const engine = (object: ChaosEngine): void => follow({ kind: 'engine', object });
    const ofWorkflow = ({ metadata }: ChaosEngine): void => {
      const uid = metadata.labels?.[LABEL_WORKFLOW_RUN_ID] ?? '';
      const found = this.workflow(uid);
      if (found !== undefined) workflow(found);
    };
    const forget = ({ metadata }: KubeObject): void => {
      // A state that is still to be stored needs what was said before it.
      if (!this.#latest.has(metadata.uid ?? '')) this.#said.delete(metadata.uid ?? '');
    };
    this.#workflows.addHandler({ onAdd: workflow, onUpdate: workflow, onDelete: forget });
    this.#standalone.addHandler({ onAdd: engine, onUpdate: engine, onDelete: forget });
    this.#engines.addHandler({ onAdd: ofWorkflow, onUpdate: ofWorkflow });
    this.#options.spool.onChange(() => {
      for (const uid of this.#withoutRoom) this.#queue.add(uid);
      this.#withoutRoom.clear();
    });
  }

  #isOurs({ metadata }: KubeObject): boolean {
    if (metadata.labels?.[LABEL_WORKFLOW_ID] === undefined) return false;
    return Date.parse(metadata.creationTimestamp ?? '') >= this.#options.startTime;
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let uid = await this.#queue.get(); uid !== undefined; uid = await this.#queue.get()) {
      try {
        await this.#pass(uid, signal);
        this.#queue.forget(uid);
      } catch (error) {
        if (!signal.aborted) {
          this.#options.logger.warn(
            { err: error, run: uid },
            'the state of a run could not be stored; it is tried again',
          );
          this.#queue.addRateLimited(uid);
        }
      } finally {
        this.#queue.done(uid);
        this.#settle(uid);
      }
    }
  }

  /** A run that cannot be stored now does not hold up the others. */
  #settle(uid: string): void {
    this.#initial.delete(uid);
    if (this.#hasListed && this.#initial.size === 0) this.#caughtUp.resolve();
  }

  async #pass(uid: string, signal: AbortSignal): Promise<void> {
    const run = this.#latest.get(uid);
    if (run === undefined) return;
    const event = await this.#eventOf(run, this.#said.get(uid), signal);
    if (!this.#isNews(uid, event)) return this.#seen(uid, run);
    const body = Buffer.from(JSON.stringify(event));
    const outcome = await this.#options.spool.append(uid, body, isOver(event));
    if (outcome === 'full') {
      // It is looked at again when there is room, and holds then what is so by then.
      this.#withoutRoom.add(uid);
      this.#options.logger.warn({ run: uid }, 'the spool is full; a run waits outside of it');
      return;
    }
    this.#remember(uid, event);
    this.#seen(uid, run);
  }

  #seen(uid: string, run: Run): void {
    if (this.#latest.get(uid) !== run) return;
    this.#latest.delete(uid);
    const informer = run.kind === 'workflow' ? this.#workflows : this.#standalone;
    if (informer.lister.byIndex('uid', uid).length === 0) this.#said.delete(uid);
  }

  #isNews(uid: string, event: RunEvent): boolean {
    // The last word on a run was said with what was known of its engines, which are cleaned up after that.
    if (isOver(event) && this.#options.spool.hasFinal(uid)) return false;
    const said = this.#said.get(uid);
    // What is an update at the second look is the same state.
    return said === undefined || !equalJson({ ...said, eventType: event.eventType }, event);
  }

  #remember(uid: string, event: RunEvent): void {
    if (isOver(event)) this.#said.delete(uid);
    else this.#said.set(uid, event);
  }

  async #eventOf(run: Run, before: RunEvent | undefined, signal: AbortSignal): Promise<RunEvent> {
    const { client } = this.#options;
    if (run.kind === 'engine')
      return engineEvent(run.object, await this.#standaloneData(run.object, signal), before);
    const nodes = storedNodes(run.object.status);
    const ofRun = (uid: string): readonly ChaosEngine[] => this.#engines.lister.byIndex('run', uid);
    const engines = await findEngines({ client, ofRun }, run.object, nodes, signal);
    return workflowEvent({ workflow: run.object, nodes, engines, before });
  }

  async #standaloneData(engine: ChaosEngine, signal: AbortSignal): Promise<ReturnType<typeof chaosDataOf>> {
    const { name, namespace = '' } = engine.metadata;
    const [experiment, second] = engine.status?.experiments ?? [];
    const result =
      experiment === undefined || second !== undefined
        ? undefined
        : await this.#options.client.find<ChaosResult>(CHAOS_RESULTS, `${name}-${experiment.name}`, {
            namespace,
            signal,
          });
    return chaosDataOf({ name, namespace, engine, result });
  }
}

/** A workflow without what no event holds: templates are the largest part. */
function slimWorkflow(workflow: Workflow): Workflow {
  const { metadata, spec, status } = dropManagedFields(workflow);
  const { storedTemplates, storedWorkflowTemplateSpec, ...kept } = status ?? {};
  const shutdown = spec?.shutdown;
  return { metadata, spec: shutdown === undefined ? {} : { shutdown }, status: kept };
}

/** An engine without what no event holds. */
function slimEngine(engine: ChaosEngine): ChaosEngine {
  const { timeline, conditions, ...status } = dropManagedFields(engine).status ?? {};
  const { engineState } = engine.spec;
  return { metadata: engine.metadata, spec: { engineState, experiments: [] }, status };
}
