import type { DeleteOptions } from '@turnsole/kube/client/types';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { Controller } from '@turnsole/kube/runtime/controller';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { fromMapped, type Informer } from '@turnsole/kube/runtime/index';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { deleteObject } from './delete-object.ts';
import { beyondRetention, type RetentionPolicy } from './expiry.ts';

/** The one key: a pass looks at all workflows. */
const ALL = 'all';

interface RetentionOptions extends BasicsWithRandom {
  readonly workflows: Informer<Workflow>;
  readonly policy: () => RetentionPolicy | undefined;
  readonly propagationPolicy?: DeleteOptions['propagationPolicy'] | undefined;
}

/** Deletes the oldest workflows that are over, beyond what the configuration keeps. */
export class Retention {
  readonly #controller: Controller;

  constructor(options: RetentionOptions) {
    const { client, workflows, policy, propagationPolicy } = options;
    const how = { onlyAsSeen: true, propagationPolicy };
    this.#controller = new Controller({
      ...options,
      name: 'workflow-retention',
      reconcile: async (_, signal) => {
        const kept = policy();
        if (kept === undefined) return;
        const over = workflows.lister
          .list()
          .filter((workflow) => isCompleted(workflow) && !isBeingDeleted(workflow));
        for (const workflow of beyondRetention(over, kept))
          await deleteObject(client, WORKFLOWS, workflow, { ...how, signal });
      },
      sources: [fromMapped(workflows, (workflow) => (isCompleted(workflow) ? [ALL] : []))],
      workers: 1,
    });
  }

  /** Looks again: the policy may have changed. */
  look(): void {
    this.#controller.queue.add(ALL);
  }

  async start(signal?: AbortSignal): Promise<void> {
    await this.#controller.start(signal);
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
  }
}
