import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import type { RUNNER_WARNINGS, SKIP_REASONS } from '../../chaos/errors/experiment-reasons.ts';
import { eventNames } from '../../chaos/event-names.ts';

/** What an event says. */
type RunnerEvent = { readonly experiment: string; readonly message: string } & (
  | { readonly type: 'Normal'; readonly reason: string }
  | { readonly type: 'Warning'; readonly reason: keyof (typeof SKIP_REASONS & typeof RUNNER_WARNINGS) }
);

/**
 * The runner's Events on the ChaosEngine: source `<engine>-runner`, name reason + experiment + engine uid, counted up when they
 * happen again. They are written in the background and in order.
 */
export class RunnerEvents {
  readonly #recorder: EventRecorder;
  readonly #engine: ChaosEngine;

  constructor(parts: Basics & { readonly engine: ChaosEngine }) {
    const { engine, ...rest } = parts;
    this.#engine = engine;
    this.#recorder = new EventRecorder({
      ...rest,
      component: `${engine.metadata.name}-runner`,
      spamFilter: false,
    });
  }

  emit({ type, reason, experiment, message }: RunnerEvent): void {
    const { metadata } = this.#engine;
    const { name, namespace, uid } = metadata;
    this.#recorder.record(
      {
        apiVersion: apiVersionOf(CHAOS_ENGINES),
        kind: CHAOS_ENGINES.kind,
        metadata: { name, namespace, uid },
      },
      { type, reason, message, name: eventNames.ofRunner(reason, experiment, uid ?? '') },
    );
  }

  /** Resolves when everything emitted so far is stored or given up. */
  flush(): Promise<void> {
    return this.#recorder.flush();
  }
}
