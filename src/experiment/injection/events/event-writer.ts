import { apiVersionOf, type Resource } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/index.ts';
import { eventNames } from '../../../chaos/event-names.ts';
import type { ExperimentEvent } from './messages.ts';

/** The object an Event is about. */
interface EventSubject {
  readonly name: string;
  readonly uid: string;
}

/** The means, and the name in the Events. */
interface EventWriterOptions extends Basics {
  readonly namespace: string;
  /** Pod of this process: source of its Events. */
  readonly source: string;
}

/**
 * Writes Events under the names upstream's users know: an Event whose name exists is counted up and gets the newest text. They
 * are written in order and in the background: chaos does not wait for them, the end of the run does.
 */
export class EventWriter {
  readonly #recorder: EventRecorder;
  readonly #namespace: string;

  constructor({ source, namespace, ...rest }: EventWriterOptions) {
    this.#namespace = namespace;
    this.#recorder = new EventRecorder({ ...rest, component: source, spamFilter: false });
  }

  /** Queues an Event on the engine, of one of its experiments. */
  onEngine(engine: EventSubject, experiment: string, text: ExperimentEvent): void {
    this.#emit(CHAOS_ENGINES, engine, text, eventNames.ofExperiment(text.reason, experiment, engine.uid));
  }

  /** Queues an Event on a result; `podName` keeps the Events of two runs apart. */
  onResult(result: EventSubject, podName: string, text: ExperimentEvent): void {
    this.#emit(CHAOS_RESULTS, result, text, eventNames.ofResult(text.reason, podName));
  }

  #emit(resource: Resource, subject: EventSubject, text: ExperimentEvent, name: string): void {
    const metadata = { ...subject, namespace: this.#namespace };
    const target = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
    this.#recorder.record(target, { ...text, name });
  }

  /** Resolves when everything queued so far is written or given up. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }
}
