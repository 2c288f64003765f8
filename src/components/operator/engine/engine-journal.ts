import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type Condition, setCondition } from '@turnsole/kube/kinds/conditions';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { runIsOver } from '../../../api/engine-status.ts';
import {
  appendTimeline,
  type ChaosEngine,
  CONDITION_RUNNABLE,
  keepEngineSteps,
  restoreTimeline,
  type TimelineEntry,
} from '../../../api/index.ts';
import type { EngineEvent } from './engine-events.ts';
import { appendToTimeline, type EngineChange, type WriteOrder, writeEngine } from './engine-writes.ts';
import { keepingRun } from './run-annotation.ts';

/** What an action leaves: the engine as written, and when to come back. */
export interface Outcome {
  readonly engine?: ChaosEngine;
  readonly requeueAfterMs?: number;
}

/** A line of the timeline, without the fields that all lines of the operator share. */
export interface Line {
  readonly step: string;
  readonly message: string;
  readonly object?: string;
  /** @default that of the engine's status */
  readonly runId?: string;
  /** RFC 3339. @default now */
  readonly time?: string;
  /** @default `operator` */
  readonly actor?: string;
}

/** Tools for writing an engine and its reports. */
export interface JournalOptions extends Basics {
  readonly emit: (engine: ChaosEngine, event: EngineEvent) => void;
  /** Called with each engine whose run is over, once that is stored. Must neither throw nor block. @default nothing is called */
  readonly onRunOver?: ((engine: ChaosEngine) => void) | undefined;
}

/** A repeated action adds its line once: a line that is among so many of the latest is not repeated. */
const RECENT_LINES = 20;

function hasEntry(lines: readonly TimelineEntry[], entry: TimelineEntry): boolean {
  return lines.some(
    ({ actor, step, message, runId }) =>
      actor === entry.actor && step === entry.step && message === entry.message && runId === entry.runId,
  );
}

/** Whether a write has ended a run: one under way, or one that was rejected before it could begin. */
function endsRun({ status: before }: ChaosEngine, { status: after }: ChaosEngine): boolean {
  if (!runIsOver(after?.engineStatus)) return false;
  return before?.engineStatus === 'initialized' || before?.runId !== after?.runId;
}

/** Writes engines, and all reports about them: timeline, conditions, Events, log. */
export class EngineJournal {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly emit: JournalOptions['emit'];
  readonly #logger: Logger;
  readonly #onRunOver: JournalOptions['onRunOver'];
  /** Lines that could not be stored and wait for the engine's next write, by uid. */
  readonly #pending = new Map<string, TimelineEntry[]>();
  /** The timeline as it was last stored, of engines whose run is under way, by uid: other writers may drop it. */
  readonly #stored = new Map<string, readonly TimelineEntry[]>();

  constructor(options: JournalOptions) {
    this.client = options.client;
    this.clock = options.clock;
    this.emit = options.emit;
    this.#logger = options.logger;
    this.#onRunOver = options.onRunOver;
  }

  /** Writes a change, these lines and those that wait for the engine. A failed write leaves the latter waiting. */
  async write(
    engine: ChaosEngine,
    change: EngineChange,
    order: WriteOrder,
    ...added: readonly (Line | undefined)[]
  ): Promise<Outcome> {
    const uid = engine.metadata.uid ?? '';
    const lines = [...(this.#pending.get(uid) ?? [])];
    for (const line of added) if (line !== undefined) lines.push(this.#entry(engine, line));
    const present = restoreTimeline(this.#stored.get(uid), engine.status?.timeline);
    const status =
      lines.length === 0 ? change.status : { ...change.status, timeline: appendTimeline(present, ...lines) };
    const whole = keepingRun(engine, status === undefined ? change : { ...change, status });
    const written = await writeEngine(this.client, engine, whole, order);
    this.#pending.delete(uid);
    this.#remember(written);
    if (endsRun(engine, written)) this.#onRunOver?.(written);
    return { engine: written };
  }

  /** Writes one condition, with its line of the timeline. */
  writeCondition(engine: ChaosEngine, condition: Condition, line: Line): Promise<Outcome> {
    const conditions = setCondition(engine.status?.conditions, condition);
    return this.write(engine, { status: { conditions } }, 'status-first', line);
  }

  /**
   * Stores a line at once, for people who follow the run. A JSON patch that tests the run and appends: it neither conflicts with the
   * runner's writes nor needs the engine's version. When it fails, the line waits for the engine's next write; the action that it
   * reports has been done and is not undone for it.
   */
  async append(engine: ChaosEngine, line: Line): Promise<Outcome> {
    const entry = this.#entry(engine, line);
    if (hasEntry(engine.status?.timeline?.slice(-RECENT_LINES) ?? [], entry)) return {};
    try {
      const written = await appendToTimeline(this.client, engine, entry);
      this.#remember(written);
      return { engine: written };
    } catch (err) {
      if (!isNotFound(err)) {
        this.log(engine).debug({ err, step: line.step }, 'timeline entry kept for the next write');
        this.#keep(engine, entry);
      }
      return {};
    }
  }

  #remember({ metadata, status }: ChaosEngine): void {
    const uid = metadata.uid ?? '';
    if (status?.engineStatus !== 'initialized') this.#stored.delete(uid);
    else if (Array.isArray(status.timeline)) this.#stored.set(uid, status.timeline);
  }

  /** The same line is kept once, as an action may be carried out again. */
  #keep(engine: ChaosEngine, entry: TimelineEntry): void {
    const uid = engine.metadata.uid ?? '';
    const lines = this.#pending.get(uid) ?? [];
    if (!hasEntry(lines, entry)) this.#pending.set(uid, [...lines, entry]);
  }

  /** Forgets the lines of an engine that is no more. */
  forget(uid: string): void {
    this.#pending.delete(uid);
    this.#stored.delete(uid);
  }

  /** Condition Runnable of this engine, as of now. */
  condition(engine: ChaosEngine, status: Condition['status'], reason: string, message: string): Condition {
    const { generation } = engine.metadata;
    return {
      type: CONDITION_RUNNABLE,
      status,
      reason,
      message,
      lastTransitionTime: new Date(this.clock.now()).toISOString(),
      observedGeneration: generation,
    };
  }

  log({ metadata, status }: ChaosEngine): Logger {
    return this.#logger.child({
      engine: `${metadata.namespace ?? ''}/${metadata.name}`,
      ...(status?.runId === undefined ? {} : { runId: status.runId }),
    });
  }

  /**
   * The steps of the engine as one of its results keeps them, followed by new ones. A new step that the result already has was stored
   * before a crash and is not added twice.
   */
  keptSteps(
    engine: ChaosEngine,
    kept: readonly TimelineEntry[] | null | undefined,
    lines: readonly Line[],
  ): TimelineEntry[] {
    const waiting = this.#pending.get(engine.metadata.uid ?? '') ?? [];
    const present = [...(engine.status?.timeline ?? []), ...waiting];
    const entries = lines.map((line) => this.#entry(engine, line));
    const news = entries.filter((entry) => !hasEntry(kept ?? [], entry));
    return keepEngineSteps(kept, [...present, ...news]);
  }

  #entry(engine: ChaosEngine, line: Line): TimelineEntry {
    const { step, message, object, runId = engine.status?.runId, time, actor = 'operator' } = line;
    return { time: time ?? new Date(this.clock.now()).toISOString(), actor, step, object, message, runId };
  }
}
