import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { JsonPatchOperation, KubeClient } from '@turnsole/kube/client/types';
import { metaTime } from '@turnsole/kube/text/time';
import {
  CHAOS_ENGINES,
  type ChaosEngine,
  type EngineExperimentStatus,
  TIMELINE_LIMIT,
  type TimelineEntry,
} from '../../api/index.ts';
import { restoreEngine } from '../../chaos/run-record.ts';

/** A patch whose tests fail is made anew from the engine as it then is, at most so often. */
const MAX_ATTEMPTS = 5;

/** The run is no longer this runner's: stopped, completed, restarted or deleted by a client. */
export class RunOverError extends Error {
  override readonly name = 'RunOverError';
}

/** Where the run's part of the engine's status is kept. */
interface EngineStatusOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly engine: ChaosEngine;
  /** `status.runId` as the operator set it; undefined under an operator that sets none. */
  readonly runId: string | undefined;
  readonly signal: AbortSignal;
}

/** A change of one experiment's entry. */
type EntryChange = Partial<Omit<EngineExperimentStatus, 'name' | 'runner' | 'lastUpdateTime'>>;

/**
 * Writer of `status.experiments` and of the runner's lines of `status.timeline`.
 *
 * A write is a JSON patch that first tests that the run is still the one this runner belongs to and then replaces and
 * appends: it cannot conflict with the operator's writes, undoes none of them, and needs one request. Writes go
 * out one at a time; changes that are requested meanwhile go out together.
 */
export class EngineStatusWriter {
  readonly #options: EngineStatusOptions;
  #engine: ChaosEngine;
  #entries: EngineExperimentStatus[];
  #lines: TimelineEntry[] = [];
  /** The stored lines: when another writer has dropped one, it goes out once more. */
  #sent: TimelineEntry[] = [];
  #sending: Promise<void> | undefined;
  #dirty = false;
  #hasStartedAll = false;

  constructor(options: EngineStatusOptions, entries: readonly EngineExperimentStatus[]) {
    this.#options = options;
    this.#engine = options.engine;
    this.#entries = [...entries];
  }

  /** The engine as last seen. */
  get engine(): ChaosEngine {
    return this.#engine;
  }

  /** Whether the user wants the run to stop, as far as has been seen. */
  get isStopped(): boolean {
    return this.#engine.spec.engineState === 'stop' || this.#engine.metadata.deletionTimestamp !== undefined;
  }

  entry(index: number): EngineExperimentStatus | undefined {
    return this.#entries[index];
  }

  /** The writes from now on say that the run gets no further Job: an abort need not wait for the end of this runner. */
  reportAllStarted(): void {
    this.#hasStartedAll = true;
  }

  /** Adds a line to the timeline; it is stored with the next update. */
  note(step: string, message: string, object?: string): void {
    const { clock, runId } = this.#options;
    this.#lines.push({
      time: new Date(clock.now()).toISOString(),
      actor: 'runner',
      step,
      object,
      message,
      runId,
    });
  }

  /**
   * Changes one entry and stores it; without a change of words only new lines are stored. A reason holds until the next
   * change and has to be given again to stay.
   */
  update(index: number, change: EntryChange): Promise<void> {
    const before = this.#entries[index];
    if (
      before !== undefined &&
      Object.entries(change).some(([key, value]) => lookup(before, key) !== value)
    ) {
      const lastUpdateTime = metaTime(this.#options.clock.now());
      const next: EngineExperimentStatus = { ...before, ...change, lastUpdateTime };
      if (change.reason === undefined) delete next.reason;
      this.#entries[index] = next;
      this.#dirty = true;
    }
    return this.flush();
  }

  /** Stores everything that is not stored yet. */
  async flush(): Promise<void> {
    while (this.#dirty || this.#lines.length > 0 || this.#sending !== undefined) {
      this.#sending ??= this.#send().finally(() => {
        this.#sending = undefined;
      });
      await this.#sending;
    }
  }

  /** Stores the entries even if they are as before: the first write of a run. */
  begin(): Promise<void> {
    this.#dirty = true;
    return this.flush();
  }

  async #send(): Promise<void> {
    const lines = this.#lines;
    const entries = this.#dirty ? this.#entries : undefined;
    const { runId } = this.#options;
    const startedRun = this.#hasStartedAll ? runId : undefined;
    const operations = statusPatch(this.#engine, entries, lines, runId, startedRun);
    this.#lines = [];
    this.#dirty = false;
    try {
      await this.#store(operations, lines, startedRun);
    } catch (error) {
      // Only this writer has them: its next write has to store them.
      this.#lines = [...lines, ...this.#lines];
      this.#dirty ||= entries !== undefined;
      throw error;
    }
  }

  /** Sends a patch, made anew as long as another writer is to blame for its failure. */
  async #store(
    first: readonly JsonPatchOperation[],
    lines: readonly TimelineEntry[],
    startedRun: string | undefined,
  ): Promise<void> {
    const { client, signal, runId } = this.#options;
    const { name, namespace } = this.#engine.metadata;
    const options = await statusOptions(client, CHAOS_ENGINES, { signal, namespace });
    let operations = first;
    for (let attempt = 1; ; attempt++) {
      try {
        const written = await client.patch<ChaosEngine>(CHAOS_ENGINES, name, 'json', operations, options);
        this.#engine = restoreEngine(written);
        this.#sent = [...this.#sent, ...lines].slice(-TIMELINE_LIMIT);
        return;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const now = await this.#reread(error);
        if (attempt === MAX_ATTEMPTS) throw error;
        operations = repairingPatch(now, this.#entries, [...this.#sent, ...lines], lines, runId, startedRun);
      }
    }
  }

  /**
   * Reads the engine anew, before something is judged that an abort could have caused as well.
   *
   * @throws RunOverError when the run is stopped, deleted or no longer this runner's
   */
  async assertUnderWay(): Promise<void> {
    const { client, signal } = this.#options;
    const { name, namespace } = this.#engine.metadata;
    const now = await client.find<ChaosEngine>(CHAOS_ENGINES, name, { signal, namespace });
    const over = this.#whyOver(now);
    if (over !== undefined) throw new RunOverError(over);
  }

  /**
   * The engine as it is after a patch failed. A missing engine and one in another run mean that the run is over for this runner.
   * One still in this run has been written by a client that dropped our fields.
   *
   * @throws RunOverError · the error when it has another cause
   */
  async #reread(error: ApiError): Promise<ChaosEngine> {
    const { client, signal } = this.#options;
    const { name, namespace } = this.#engine.metadata;
    const gone = { cause: error };
    if (error.code === 404) throw new RunOverError(this.#whyOver(undefined) ?? '', gone);
    if (![400, 409, 422].includes(error.code)) throw error;
    const now = await client.find<ChaosEngine>(CHAOS_ENGINES, name, { signal, namespace });
    const over = this.#whyOver(now);
    if (over !== undefined || now === undefined) throw new RunOverError(over ?? '', gone);
    return now;
  }

  /** Why an engine as it is now is no longer in this runner's run. */
  #whyOver(now: ChaosEngine | undefined): string | undefined {
    const { runId } = this.#options;
    const { name, namespace, uid } = this.#engine.metadata;
    const key = `ChaosEngine ${namespace ?? ''}/${name}`;
    if (now === undefined || now.metadata.uid !== uid) return `${key} is gone`;
    const { status, spec, metadata } = restoreEngine(now);
    if (spec.engineState === 'stop' || metadata.deletionTimestamp !== undefined) return `${key} is stopped`;
    if (this.#engine.status?.engineStatus === 'initialized' && status?.engineStatus !== 'initialized') {
      return `${key} is now ${status?.engineStatus || 'not initialized'}`;
    }
    // One without a run id has lost it to a writer that does not know it.
    return runId !== undefined && status?.runId !== undefined && status.runId !== runId
      ? `${key} is now in run ${status?.runId}`
      : undefined;
  }
}

function lookup(entry: EngineExperimentStatus, key: string): unknown {
  // Widened to look a field up by name.
  return (entry as unknown as Readonly<Record<string, unknown>>)[key];
}

/**
 * The JSON patch that stores entries and appends lines to what the engine had when it was last seen. Pure. Its tests fail when
 * the engine has left the run meanwhile.
 *
 * @param startedRun the run, when all of it has been started
 */
export function statusPatch(
  engine: ChaosEngine,
  entries: readonly EngineExperimentStatus[] | undefined,
  lines: readonly TimelineEntry[],
  runId: string | undefined,
  startedRun?: string,
): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  const { status } = engine;
  if (status === undefined || status === null) {
    operations.push({ op: 'add', path: '/status', value: {} });
  } else {
    if (status.engineStatus === 'initialized') {
      operations.push({ op: 'test', path: '/status/engineStatus', value: 'initialized' });
    }
    if (runId !== undefined && status.runId !== undefined) {
      operations.push({ op: 'test', path: '/status/runId', value: runId });
    }
    // Once the user has said stop, the status is the operator's business.
    if (engine.spec.engineState === 'active') {
      operations.push({ op: 'test', path: '/spec/engineState', value: 'active' });
    }
  }
  if (entries !== undefined) operations.push({ op: 'add', path: '/status/experiments', value: entries });
  if (startedRun !== undefined) operations.push({ op: 'add', path: '/status/allStarted', value: startedRun });
  const timeline = status?.timeline;
  if (timeline === undefined || timeline === null) {
    if (lines.length > 0) operations.push({ op: 'add', path: '/status/timeline', value: lines });
    return operations;
  }
  const overflow = Math.min(timeline.length, timeline.length + lines.length - TIMELINE_LIMIT);
  for (let count = 0; count < overflow; count++)
    operations.push({ op: 'remove', path: '/status/timeline/0' });
  for (const line of lines) operations.push({ op: 'add', path: '/status/timeline/-', value: line });
  return operations;
}

/**
 * The JSON patch for an engine that a client has written that does not know all fields: it stores entries, all of this runner's
 * lines where the timeline is gone, and the run id. It tests that no other client has written since. Pure.
 */
function repairingPatch(
  now: ChaosEngine,
  entries: readonly EngineExperimentStatus[],
  all: readonly TimelineEntry[],
  news: readonly TimelineEntry[],
  runId: string | undefined,
  startedRun?: string,
): JsonPatchOperation[] {
  const hasTimeline = Array.isArray(now.status?.timeline);
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: now.metadata.resourceVersion },
    // The tests of the run itself were those of the one who read it.
    ...statusPatch(now, entries, hasTimeline ? news : all, undefined, startedRun),
    ...(runId === undefined ? [] : [{ op: 'add' as const, path: '/status/runId', value: runId }]),
  ];
}
