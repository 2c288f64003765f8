import type { Basics } from '@turnsole/kube/runtime/basics';
import { EventRecorder } from '@turnsole/kube/runtime/index';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { StoredChange, StoredObserver } from '../ports.ts';
import { type EventSettings, eventsOf } from './events-of.ts';

/** Source of the Events, as clients of Argo know it. */
export const EVENT_SOURCE = 'workflow-controller';
/** Thousands of nodes may end at once. Each Event is a small object that waits for its turn. */
const MAX_PENDING = 50_000;

/** Publishes what happens to workflows and nodes as Events. */
export class EventPublisher implements StoredObserver {
  readonly #recorder: EventRecorder;
  readonly #settings: () => EventSettings;

  constructor(options: Basics, settings: () => EventSettings) {
    // The number of Events of a workflow is bounded by its nodes, and clients read what became of a node off them.
    this.#recorder = new EventRecorder({
      ...options,
      component: EVENT_SOURCE,
      spamFilter: false,
      maxPending: MAX_PENDING,
    });
    this.#settings = settings;
  }

  stored(change: StoredChange): void {
    const { workflow } = change;
    const { namespace } = workflow.metadata;
    for (const { pod, ...text } of eventsOf(change, this.#settings())) {
      if (pod === undefined) this.#recorder.recordOn(WORKFLOWS, workflow, text);
      else this.#recorder.record({ apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace } }, text);
    }
  }

  /** Resolves when the Events that wait are written or given up. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }
}
