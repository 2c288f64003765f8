import {
  apiVersionOf,
  CHAOS_ENGINES,
  type ChaosEngine,
  type CoreEvent,
  EVENTS,
  OPERATOR_EVENT_SOURCE,
} from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Clock } from '../../kube/runtime/clock.ts';
import type { Logger } from '../../kube/runtime/log.ts';
import type { Phase } from './actions.ts';

/** An Event of the operator: reason and text are those of the compatibility reference. */
export interface EngineEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'ChaosEngineInitialized'
    | 'ChaosEngineCompleted'
    | 'ChaosEngineStopped'
    | 'RestartInProgress'
    | 'ChaosResourcesOperationFailed';
  readonly message: string;
}

/** The Events of an engine's life, in one place. */
export const ENGINE_EVENTS = {
  initialized: (engine: string): EngineEvent =>
    normal('ChaosEngineInitialized', `Identifying app under test & launching ${engine}-runner`),
  completed: (): EngineEvent =>
    normal(
      'ChaosEngineCompleted',
      'ChaosEngine completed, will delete or retain the resources according to jobCleanUpPolicy',
    ),
  stopped: (): EngineEvent => normal('ChaosEngineStopped', 'Chaos resources deleted successfully'),
  restarted: (): EngineEvent => normal('RestartInProgress', 'ChaosEngine is restarted'),
  failed: (phase: Phase, detail: string): EngineEvent => ({
    type: 'Warning',
    reason: 'ChaosResourcesOperationFailed',
    message: `(${phase}) ${detail}`,
  }),
} as const;

function normal(reason: EngineEvent['reason'], message: string): EngineEvent {
  return { type: 'Normal', reason, message };
}

/** Longest text an Event may have (core/v1 Event, `note`). */
const MAX_MESSAGE_LENGTH = 1024;
/** Events that wait to be stored; beyond this the oldest is dropped, as they are for information. */
const MAX_WAITING = 10_000;
const PARALLEL_WRITES = 4;

/**
 * Writes Events in the background: an engine's next step never waits for them, and a failure is only logged. Repetitions do
 * not occur often enough to be counted, as problems are said when they change.
 */
export class EngineEventWriter {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #waiting: CoreEvent[] = [];
  readonly #writers = new Set<Promise<void>>();
  #count = 0;

  constructor(parts: { client: KubeClient; clock: Clock; logger: Logger }) {
    this.#client = parts.client;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
  }

  emit(engine: ChaosEngine, event: EngineEvent): void {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(this.#build(engine, event));
    if (this.#writers.size >= PARALLEL_WRITES) return;
    const writer = this.#drain().finally(() => this.#writers.delete(writer));
    this.#writers.add(writer);
  }

  /** Resolves when nothing waits any more. */
  async flush(): Promise<void> {
    while (this.#writers.size > 0) await Promise.all(this.#writers);
  }

  async #drain(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      const { namespace } = event.metadata;
      try {
        await this.#client.create<CoreEvent>(EVENTS, event, namespace === undefined ? {} : { namespace });
      } catch (err) {
        this.#logger.warn({ err, reason: event.reason }, 'cannot write event');
      }
    }
  }

  #build(engine: ChaosEngine, { type, reason, message }: EngineEvent): CoreEvent {
    const { name, namespace, uid } = engine.metadata;
    const nowMs = this.#clock.now();
    const time = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#count += 1;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${name.slice(0, 200)}.${nowMs.toString(16)}${this.#count.toString(16)}`,
        ...(namespace === undefined ? {} : { namespace }),
      },
      involvedObject: {
        apiVersion: apiVersionOf(CHAOS_ENGINES),
        kind: CHAOS_ENGINES.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
      },
      source: { component: OPERATOR_EVENT_SOURCE },
      type,
      reason,
      message: message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
    };
  }
}
