import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { dropManagedFields, Informer } from '@turnsole/kube/runtime/informer';
import { indexByLabel } from '@turnsole/kube/runtime/store';
import { WorkQueue } from '@turnsole/kube/runtime/work-queue';
import { equalJson } from '@turnsole/kube/text/json';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { runIsOver } from '../../../api/engine-status.ts';
import { LABEL_WORKFLOW_RUN_ID } from '../../../api/labels.ts';
import { CHAOS_ENGINES } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { Spool } from '../../../spool/spool.ts';
import { LABEL_WORKFLOW_ID, runSelector } from '../labels.ts';
import { engineEvent } from './engine-event.ts';
import { findEngines, standaloneData } from './find-engines.ts';
import { fittingEvent } from './fitting-event.ts';
import { Rests } from './large-state-pauses.ts';
import { readNodes } from './read-nodes.ts';
import { isOver, type RunEvent, secondsText } from './run-event.ts';
import { storedEvent } from './stored-event.ts';
import { workflowEvent } from './workflow-event.ts';

/** What following runs needs. */
interface RunEventsOptions extends Basics {
  readonly infraID: string;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Milliseconds since 1970: runs made before are none of this infrastructure. */
  readonly startTime: number;
  readonly spool: Spool;
  /** Called with each engine of a run that is new or has changed. */
  readonly onEngine?: (engine: ChaosEngine) => void;
}

/** Runs that are worked on at the same time. */
const WORKERS = 8;
/** On stop, known states are stored for this long; the next leader lists them anyway. */
const DRAIN_MS = 5_000;

type Run =
  | { readonly kind: 'workflow'; readonly object: Workflow }
  | { readonly kind: 'engine'; readonly object: ChaosEngine };

/** Whether the last word on a run can be said. */
function isRunOver(run: Run): boolean {
  return run.kind === 'engine'
    ? runIsOver(run.object.status?.engineStatus)
    : secondsText(run.object.status?.finishedAt) !== '';
}

/**
 * Follows the runs of an infrastructure, and stores their states in the spool. Level-based: states between two looks may be left out,
 * the last one never is. After a start it reports every run once more, to make good for what it missed.
 */
export class RunEvents {
  readonly #options: RunEventsOptions;
  readonly #workflows: Informer<Workflow>;
  readonly #standalone: Informer<ChaosEngine>;
  /** Engines of workflows. */
  readonly #engines: Informer<ChaosEngine>;
  readonly #queue: WorkQueue;
  /** The latest state of runs that are to be looked at, also of those that have been deleted since. */
  readonly #latest = new Map<string, Run>();
  /** The last event of each run that goes on. */
  readonly #said = new Map<string, RunEvent>();
  readonly #rests: Rests;
  readonly #withoutRoom = new Set<string>();
  /** Runs without room, or tried again, that the log has named. */
  readonly #loggedWithoutRoom = new Set<string>();
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
    this.#rests = new Rests(clock);
  }

  /** Workflow of a run that is known, by its uid. */
  workflow(uid: string): Workflow | undefined {
    return this.#workflows.lister.byIndex('uid', uid)[0];
  }

  /** Engines of runs that are there. */
  engines(): readonly ChaosEngine[] {
    return [...this.#standalone.lister.list(), ...this.#engines.lister.list()];
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

  /** Stops; known states are stored first. */
  async stop(): Promise<void> {
    await Promise.all([this.#workflows, this.#standalone, this.#engines].map((one) => one.stop()));
    const cancel = this.#options.clock.setTimer(DRAIN_MS, () =>
      this.#end.abort(new Error('what was left took too long')),
    );
    // Before everything has been listed no worker takes what is ready.
    await this.#queue.shutdown({ drain: this.#workers.length > 0 });
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
      const restMs = isRunOver(run) ? 0 : this.#rests.msLeft(uid);
      if (restMs > 0) this.#queue.addAfter(uid, restMs);
      else this.#queue.add(uid);
    };
    const workflow = (object: Workflow): void => follow({ kind: 'workflow', object });
    const engine = (object: ChaosEngine): void => follow({ kind: 'engine', object });
    const ofWorkflow = ({ metadata }: ChaosEngine): void => {
      const uid = metadata.labels?.[LABEL_WORKFLOW_RUN_ID] ?? '';
      const found = this.workflow(uid);
      if (found !== undefined) workflow(found);
    };
    const forget = ({ metadata }: KubeObject): void => {
      this.#rests.forget(metadata.uid ?? '');
      // A state that is still to be stored needs what was said before it.
      if (!this.#latest.has(metadata.uid ?? '')) this.#said.delete(metadata.uid ?? '');
    };
    this.#workflows.addHandler({ onAdd: workflow, onUpdate: workflow, onDelete: forget });
    this.#standalone.addHandler({
      ...{ onAdd: engine, onUpdate: engine },
      onDelete: (object) => {
        // The operator writes no last status: deleting an engine stops its run, and the operator lets it go when all is reverted.
        if (!runIsOver(object.status?.engineStatus)) engine(stoppedEngine(object));
        forget(object);
      },
    });
    this.#engines.addHandler({ onAdd: ofWorkflow, onUpdate: ofWorkflow });
    const { onEngine } = this.#options;
    const handler = { onAdd: onEngine, onUpdate: onEngine };
    if (onEngine !== undefined)
      for (const engines of [this.#standalone, this.#engines]) engines.addHandler(handler);
    this.#options.spool.onChange(() => this.#tryRoom());
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
    // The final event was made while the engines were known; they may be deleted after it.
    if (isRunOver(run) && this.#options.spool.hasFinal(uid)) return this.#seen(uid, run);
    const event = await this.#eventOf(run, this.#said.get(uid), signal);
    if (!this.#isNews(uid, event)) return this.#seen(uid, run);
    const { body, leftOut } = fittingEvent(event, this.#options.spool.limitBytes);
    if (leftOut !== undefined) {
      this.#options.logger.warn(
        { run: uid, leftOut },
        'the state of a run is too large to be sent as a whole',
      );
    }
    const outcome = await this.#options.spool.append(uid, storedEvent(event, body), isOver(event));
    if (outcome === 'full') return this.#waitForRoom(uid);
    this.#loggedWithoutRoom.delete(uid);
    this.#rests.begin(uid, body.length, isOver(event));
    this.#remember(uid, event);
    this.#seen(uid, run);
  }

  /** The run is observed again when there is room in the spool; the event then shows the state of that time. */
  #waitForRoom(uid: string): void {
    // With what was delivered in between, no delivery is left that would report room.
    if (this.#options.spool.size === 0) this.#queue.addRateLimited(uid);
    else this.#withoutRoom.add(uid);
    if (this.#loggedWithoutRoom.has(uid)) return;
    this.#loggedWithoutRoom.add(uid);
    this.#options.logger.warn({ run: uid }, 'the spool is full; a run waits outside of it');
  }

  /** A few at a time: each look at a run asks the cluster, and storing an event makes the next try. */
  #tryRoom(): void {
    let tries = WORKERS;
    for (const uid of this.#withoutRoom) {
      if (tries-- === 0) return;
      this.#withoutRoom.delete(uid);
      this.#queue.add(uid);
    }
  }

  #seen(uid: string, run: Run): void {
    if (this.#latest.get(uid) !== run) return;
    this.#latest.delete(uid);
    const informer = run.kind === 'workflow' ? this.#workflows : this.#standalone;
    if (informer.lister.byIndex('uid', uid).length === 0) this.#said.delete(uid);
  }

  #isNews(uid: string, event: RunEvent): boolean {
    const said = this.#said.get(uid);
    // An event that is an update at the second look is the same state.
    return said === undefined || !equalJson({ ...said, eventType: event.eventType }, event);
  }

  #remember(uid: string, event: RunEvent): void {
    if (isOver(event)) this.#said.delete(uid);
    else this.#said.set(uid, event);
  }

  async #eventOf(run: Run, before: RunEvent | undefined, signal: AbortSignal): Promise<RunEvent> {
    const { client } = this.#options;
    if (run.kind === 'engine')
      return engineEvent(run.object, await standaloneData({ client }, run.object, signal), before);
    const nodes = readNodes(run.object.status);
    const ofRun = (uid: string): readonly ChaosEngine[] => this.#engines.lister.byIndex('run', uid);
    const engines = await findEngines({ client, ofRun }, run.object, nodes, signal);
    return workflowEvent({ workflow: run.object, nodes, engines, before });
  }
}

/** An engine that was deleted before its run was over. */
function stoppedEngine(engine: ChaosEngine): ChaosEngine {
  return { ...engine, status: { ...engine.status, engineStatus: 'stopped' } } as ChaosEngine;
}

/** A workflow without what no event holds: templates are the largest part. */
export function slimWorkflow(workflow: Workflow): Workflow {
  const { metadata, spec, status } = dropManagedFields(workflow);
  const { storedTemplates, storedWorkflowTemplateSpec, ...kept } = status ?? {};
  const shutdown = spec?.shutdown;
  return { metadata, spec: shutdown === undefined ? {} : { shutdown }, status: kept };
}

/** An engine without what no event holds. Definitions may let its spec be absent. */
export function slimEngine(engine: ChaosEngine): ChaosEngine {
  const {
    metadata,
    spec,
    status: whole,
  } = dropManagedFields(engine) as Partial<ChaosEngine> & Pick<ChaosEngine, 'metadata'>;
  const { timeline, conditions, ...status } = whole ?? {};
  const { engineState, dryRun } = spec ?? {};
  const kept = { ...(engineState !== undefined && { engineState }), ...(dryRun !== undefined && { dryRun }) };
  return { metadata, spec: { ...kept, experiments: [] }, status };
}
