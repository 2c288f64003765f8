import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { Informer } from '@turnsole/kube/runtime/informer';
import { WorkQueue } from '@turnsole/kube/runtime/work-queue';
import { LABEL_CHAOS_UID } from '../../../api/labels.ts';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import type { Spool } from '../../../spool/spool.ts';
import { AcknowledgedRecords } from './acknowledged-records.ts';
import { isLogObject } from './log-record.ts';
import {
  engineRecord,
  lastStepMs,
  packRecord,
  type RunRecord,
  resultRecord,
  runOf,
  unpackRecord,
} from './run-record.ts';
import { objectOfKey, readStoredRecord, recordKey, storedRecord } from './stored-record.ts';

/** Options of the records. */
interface RunRecordsOptions extends Basics {
  readonly infraID: string;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Engines of runs that are there. */
  readonly engines: () => Iterable<ChaosEngine>;
  readonly spool: Spool;
}

/** Records that are read at the same time: each may be as large as its object. */
const WORKERS = 2;
/** Least time between two records of one object; changes in between are reported together. */
const REST_MS = 250;
/** States of runs are not to go for records where nothing can be delivered. */
const SHARE_OF_SPOOL = 0.5;
/** After a start, a run that is over and whose last step is older than this is not reported again. */
const OLD_MS = 600_000;
/** On stop, known records are stored for this long; the next leader reads them anyway. */
const DRAIN_MS = 2_000;

/** Annotation of the local copy, which holds nothing else of a status. */
const LAST_STEP = 'last-step';

/**
 * Follows engines and results, and stores what the time axes of their runs show, with exact times: for servers that take it. Level-based
 * as states of runs are, and of each object only what the server does not have.
 */
export class RunRecords {
  readonly #options: RunRecordsOptions;
  readonly #results: Informer<ChaosResult>;
  readonly #queue: WorkQueue;
  readonly #acknowledged = new AcknowledgedRecords();
  readonly #restUntil = new Map<string, number>();
  readonly #end = new AbortController();
  #workers: Promise<void>[] = [];

  constructor(options: RunRecordsOptions) {
    this.#options = options;
    const { client, clock, logger, namespace, infraID } = options;
    this.#results = new Informer<ChaosResult>({
      ...{ client, clock, logger, namespace },
      resource: CHAOS_RESULTS,
      labelSelector: `infra_id=${infraID}`,
      transform: slimResult,
      pageSize: 50,
    });
    this.#queue = new WorkQueue({ clock });
  }

  get #isStarted(): boolean {
    return this.#workers.length > 0;
  }

  /** Starts, once a server takes records. */
  start(): void {
    if (this.#isStarted || this.#end.signal.aborted) return;
    this.#workers = Array.from({ length: WORKERS }, () => this.#work());
    for (const engine of this.#options.engines()) this.#follow(CHAOS_ENGINES, engine, true);
    this.#results.addHandler({
      onAdd: (result, isInitial) => this.#follow(CHAOS_RESULTS, result, isInitial),
      onUpdate: (result) => this.#follow(CHAOS_RESULTS, result, false),
    });
    this.#results.start();
  }

  /** Stops; known records are stored first. */
  async stop(): Promise<void> {
    await this.#results.stop();
    const cancel = this.#options.clock.setTimer(DRAIN_MS, () =>
      this.#end.abort(new Error('what was left took too long')),
    );
    await this.#queue.shutdown({ drain: true });
    await Promise.all(this.#workers);
    cancel();
    this.#end.abort(new Error('the subscriber is ending'));
  }

  /** An engine of a run is new or has changed. */
  engineChanged(engine: ChaosEngine): void {
    if (this.#isStarted) this.#follow(CHAOS_ENGINES, engine, false);
  }

  /** Handles the server's answer to a record. */
  answered(body: Buffer, outcome: 'taken' | 'incomplete'): void {
    const stored = readStoredRecord(body);
    if (stored === undefined || isLogObject(stored.object)) return;
    const key = recordKey(stored.run, stored.object);
    if (outcome === 'taken') {
      this.#acknowledged.taken(key, unpackRecord(stored.bytes));
      return;
    }
    this.#acknowledged.forget(key);
    if (this.#isStarted) this.#queue.add(stored.object);
  }

  /** The spool has dropped a record for something newer. @returns whether it was one */
  dropped(key: string): boolean {
    const object = objectOfKey(key);
    if (object !== undefined && isLogObject(object)) return false;
    if (object !== undefined && this.#isStarted) this.#queue.addRateLimited(object);
    return object !== undefined;
  }

  #follow(resource: Resource, object: KubeObject, isInitial: boolean): void {
    const run = this.#runOf(object);
    if (run === undefined || (isInitial && this.#isOld(object, run))) return;
    const { namespace = '', name } = object.metadata;
    const key = `${resource.plural}/${namespace}/${name}`;
    const restMs = (this.#restUntil.get(key) ?? 0) - this.#options.clock.now();
    if (restMs > 0) this.#queue.addAfter(key, restMs);
    else this.#queue.add(key);
  }

  #runOf(object: KubeObject): string | undefined {
    const { labels, uid } = object.metadata;
    return runOf(object, this.#options.infraID, labels?.[LABEL_CHAOS_UID] ?? uid);
  }

  #isOld(object: KubeObject, run: string): boolean {
    const { spool, clock } = this.#options;
    const last = object.metadata.annotations?.[LAST_STEP];
    return spool.hasFinal(run) && (last === undefined || Number(last) < clock.now() - OLD_MS);
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      try {
        const isDone = await this.#pass(key);
        if (isDone) this.#queue.forget(key);
        else this.#queue.addRateLimited(key);
      } catch (error) {
        if (!this.#end.signal.aborted) {
          this.#options.logger.warn(
            { err: error, object: key },
            'a record of a run could not be stored; it is tried again',
          );
          this.#queue.addRateLimited(key);
        }
      } finally {
        this.#queue.done(key);
      }
    }
  }

  /** @returns true when it is stored or needs no storing; false: the spool has no room now */
  async #pass(object: string): Promise<boolean> {
    const { spool, clock } = this.#options;
    if (spool.bytes > spool.limitBytes * SHARE_OF_SPOOL) return false;
    const read = await this.#read(object);
    if (read === undefined) return true;
    const key = recordKey(read.run, object);
    const news = this.#acknowledged.news(key, read.record);
    if (news === undefined) return true;
    const body = storedRecord(read.run, object, packRecord(news));
    if ((await spool.append(key, body, false)) === 'full') return false;
    this.#rest(object, clock.now() + REST_MS);
    return true;
  }

  #rest(object: string, until: number): void {
    const now = this.#options.clock.now();
    for (const [other, end] of this.#restUntil) if (end <= now) this.#restUntil.delete(other);
    this.#restUntil.set(object, until);
  }

  async #read(object: string): Promise<{ readonly run: string; readonly record: RunRecord } | undefined> {
    const { client } = this.#options;
    const [plural, namespace = '', name = ''] = object.split('/');
    const options = { namespace, signal: this.#end.signal };
    if (plural === CHAOS_ENGINES.plural) {
      const engine = await client.find<ChaosEngine>(CHAOS_ENGINES, name, options);
      return engine === undefined ? undefined : this.#recordOf(engine, engineRecord(engine));
    }
    const result = await client.find<ChaosResult>(CHAOS_RESULTS, name, options);
    return result === undefined ? undefined : this.#recordOf(result, resultRecord(result));
  }

  #recordOf(
    object: KubeObject,
    record: RunRecord | undefined,
  ): { readonly run: string; readonly record: RunRecord } | undefined {
    const run = this.#runOf(object);
    return run === undefined || record === undefined ? undefined : { run, record };
  }
}

/** All that is kept of a result: whose it is, and when its last step was. */
function slimResult({ metadata, status }: ChaosResult): ChaosResult {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  const last = lastStepMs(status?.timeline, status?.engineTimeline);
  return {
    metadata: { name, namespace, uid, resourceVersion, labels, annotations: { [LAST_STEP]: String(last) } },
  };
}
