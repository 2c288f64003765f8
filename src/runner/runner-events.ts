import { apiVersionOf, CHAOS_ENGINES, type ChaosEngine, type CoreEvent, EVENTS } from '../api/index.ts';
import { isAlreadyExists } from '../kube/client/errors.ts';
import type { KubeClient } from '../kube/client/types.ts';
import type { Clock } from '../kube/runtime/clock.ts';
import type { Logger } from '../kube/runtime/log.ts';

/** What an event says. */
export interface RunnerEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly experiment: string;
  readonly message: string;
}

/**
 * The runner's Events on the ChaosEngine. Their names are reason + experiment + engine uid, as upstream's are: a repeated one
 * gets a higher count and the newest text. They are written in the background and in order; a failure is logged and no
 * reason to fail the run.
 */
export class RunnerEvents {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #engine: ChaosEngine;
  #tail: Promise<void> = Promise.resolve();

  constructor(parts: { client: KubeClient; clock: Clock; logger: Logger; engine: ChaosEngine }) {
    this.#client = parts.client;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#engine = parts.engine;
  }

  emit(event: RunnerEvent): void {
    const time = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#tail = this.#tail.then(async () => {
      try {
        await this.#store(event, time);
      } catch (err) {
        this.#logger.warn({ err, reason: event.reason }, 'cannot write event');
      }
    });
  }

  /** Resolves when everything emitted so far is stored or given up. */
  flush(): Promise<void> {
    return this.#tail;
  }

  async #store(event: RunnerEvent, time: string): Promise<void> {
    const object = buildEvent(this.#engine, event, time);
    const namespace = this.#engine.metadata.namespace;
    const place = namespace === undefined ? {} : { namespace };
    try {
      await this.#client.create<CoreEvent>(EVENTS, object, place);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const earlier = await this.#client.get<CoreEvent>(EVENTS, object.metadata.name, place);
      const patch = {
        count: (earlier.count ?? 1) + 1,
        lastTimestamp: time,
        message: event.message,
        type: event.type,
      };
      await this.#client.patch<CoreEvent>(EVENTS, object.metadata.name, 'merge', patch, place);
    }
  }
}

/** The Event object. Pure. */
export function buildEvent(
  engine: ChaosEngine,
  { type, reason, experiment, message }: RunnerEvent,
  time: string,
): CoreEvent {
  const { name, namespace, uid } = engine.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${reason}${experiment}${uid}`,
      ...(namespace === undefined ? {} : { namespace }),
    },
    involvedObject: {
      apiVersion: apiVersionOf(CHAOS_ENGINES),
      kind: CHAOS_ENGINES.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    },
    source: { component: `${name}-runner` },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
  };
}
