import { apiVersionOf, CHAOS_ENGINES, CHAOS_RESULTS, type CoreEvent, EVENTS } from '../../api/index.ts';
import { isAlreadyExists } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Clock } from '../../kube/runtime/clock.ts';
import type { EventText } from './messages.ts';

/** The object an Event is about. */
export interface EventSubject {
  readonly kind: 'ChaosEngine' | 'ChaosResult';
  readonly name: string;
  readonly uid: string;
}

/** By what means, and in whose name. */
export interface EventWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  /** Pod of this process: source of its Events. */
  readonly source: string;
  /** An Event that could not be stored is told here; it never fails a run. */
  readonly onError: (reason: string, error: unknown) => void;
}

/**
 * Writes Events under the names upstream's users know: an Event whose name exists is counted up and gets the newest text. They
 * are written in order and in the background: chaos does not wait for them, the end of the run does.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Queues an Event. `suffix` completes its name: POD_NAME for results, experiment + engine uid for engines. */
  emit(subject: EventSubject, text: EventText, suffix: string): void {
    const event = this.#event(subject, text, `${text.reason}${suffix}`);
    this.#last = this.#last.then(async () => {
      try {
        await this.#store(event);
      } catch (error) {
        this.#options.onError(text.reason, error);
      }
    });
  }

  /** Resolves when everything queued so far is written or given up. */
  flush(): Promise<void> {
    return this.#last;
  }

  async #store(event: CoreEvent): Promise<void> {
    const { client, namespace } = this.#options;
    try {
      await client.create<CoreEvent>(EVENTS, event, { namespace });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name } = event.metadata;
      const existing = await client.get<CoreEvent>(EVENTS, name, { namespace });
      const { type, message, source, lastTimestamp, involvedObject } = event;
      const count = (existing.count ?? 1) + 1;
      const patch = { type, message, source, lastTimestamp, involvedObject, count };
      await client.patch<CoreEvent>(EVENTS, name, 'merge', patch, { namespace });
    }
  }

  #event(subject: EventSubject, { reason, type, message }: EventText, name: string): CoreEvent {
    const { namespace, source, clock } = this.#options;
    // Event times have whole seconds.
    const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const resource = subject.kind === 'ChaosEngine' ? CHAOS_ENGINES : CHAOS_RESULTS;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: {
        apiVersion: apiVersionOf(resource),
        kind: subject.kind,
        name: subject.name,
        namespace,
        uid: subject.uid,
      },
      reason,
      type,
      message,
      source: { component: source },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    } as CoreEvent;
  }
}
