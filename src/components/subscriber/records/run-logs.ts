import type { Pod } from '@turnsole/kube/kinds/core';
import type { Basics } from '@turnsole/kube/runtime/basics';
import type { KeptLog, LogTails } from '@turnsole/kube/runtime/log-tails';
import { parseTime } from '@turnsole/kube/text/time';
import { LABEL_CHAOS_UID } from '../../../api/labels.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import { tailsOfRunPods } from '../../../engines/run-pod-tails.ts';
import type { Spool } from '../../../spool/spool.ts';
import { logObject, packLog } from './log-record.ts';
import { runOf } from './run-record.ts';
import { recordKey, storedRecord } from './stored-record.ts';

/** Options of the logs. */
interface RunLogsOptions extends Basics {
  readonly infraID: string;
  /** Where pods of runs are; undefined: everywhere. */
  readonly namespaces: readonly string[] | undefined;
  /** Engines of runs that are there. */
  readonly engines: () => Iterable<ChaosEngine>;
  /** Whether a Workflow, by its uid, is a run of the infrastructure. */
  readonly isRun: (uid: string) => boolean;
  readonly spool: Spool;
  /** A log for which the spool has no room. */
  readonly onLost: () => void;
}

/** Logs go only where this share of the spool is free: states of runs are not to go for them. */
const SHARE_OF_SPOOL = 0.5;
/** Uids of engines are remembered beyond their deletion, for their last pods. */
const MOST_ENGINES = 5_000;

/**
 * Keeps the ends of the logs of all pods of runs, for servers that take them: those of steps, runners, experiments and helpers. A log is
 * reported when its pod has ended or is gone, and when the subscriber ends.
 */
export class RunLogs {
  readonly #options: RunLogsOptions;
  readonly #tails: readonly LogTails[];
  /** By the uid of an engine: its run. */
  readonly #runs = new Map<string, string>();
  readonly #storing = new Set<Promise<void>>();
  /** Not a number before the start. */
  #startedMs = Number.NaN;

  constructor(options: RunLogsOptions) {
    this.#options = options;
    const { client, clock, logger, namespaces } = options;
    this.#tails = tailsOfRunPods(namespaces, {
      ...{ client, clock, logger },
      isMeant: (pod) => this.#isNew(pod, this.#runOfPod(pod)),
      onLog: (log, pod) => this.#store(this.#runOfPod(pod), log, pod),
    });
  }

  get #isStarted(): boolean {
    return !Number.isNaN(this.#startedMs);
  }

  /** Starts, once a server takes logs. Idempotent. */
  start(): void {
    if (this.#isStarted) return;
    this.#startedMs = this.#options.clock.now();
    for (const engine of this.#options.engines()) this.engineChanged(engine);
    for (const tails of this.#tails) tails.start();
  }

  /** Stops; what is known of the logs is stored first. */
  async stop(): Promise<void> {
    if (this.#isStarted) await Promise.all(this.#tails.map((tails) => tails.stop()));
    await Promise.all(this.#storing);
  }

  /** An engine of a run is new or has changed. */
  engineChanged(engine: ChaosEngine): void {
    const { uid = '' } = engine.metadata;
    const run = runOf(engine, this.#options.infraID, uid);
    if (run === undefined) return;
    this.#runs.set(uid, run);
    const [oldest] = this.#runs.size > MOST_ENGINES ? this.#runs.keys() : [];
    if (oldest !== undefined) this.#runs.delete(oldest);
  }

  /** False for pods that are left of a run that was over before these logs were followed: an earlier subscriber has reported them. */
  #isNew({ metadata }: Pod, run: string | undefined): boolean {
    const isLeft = (parseTime(metadata.creationTimestamp) ?? 0) < this.#startedMs;
    return !isLeft || run === undefined || !this.#options.spool.hasFinal(run);
  }

  /** Of a pod of an engine that engine's, of one of a step its workflow's. */
  #runOfPod({ metadata }: Pod): string | undefined {
    const ofEngine = this.#runs.get(metadata.labels?.[LABEL_CHAOS_UID] ?? '');
    if (ofEngine !== undefined) return ofEngine;
    const owner = (metadata.ownerReferences ?? []).find(({ kind }) => kind === 'Workflow');
    return owner !== undefined && this.#options.isRun(owner.uid) ? owner.uid : undefined;
  }

  #store(run: string | undefined, log: KeptLog, { metadata }: Pod): void {
    if (run === undefined) return;
    const storing = this.#append(run, log, metadata.creationTimestamp ?? '').catch((error: unknown) => {
      this.#options.logger.warn({ err: error, pod: log.name }, 'the log of a pod could not be stored');
      this.#options.onLost();
    });
    this.#storing.add(storing);
    void storing.then(() => this.#storing.delete(storing));
  }

  async #append(run: string, log: KeptLog, createdAt: string): Promise<void> {
    const { spool, onLost } = this.#options;
    const object = logObject(log);
    const body = storedRecord(run, object, packLog(log, createdAt));
    const hasRoom = spool.bytes <= spool.limitBytes * SHARE_OF_SPOOL;
    if (!hasRoom || (await spool.append(recordKey(run, object), body, false)) === 'full') onLost();
  }
}
