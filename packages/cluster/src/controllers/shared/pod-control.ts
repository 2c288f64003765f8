import { allInOrder } from '@turnsole/kube/base/all-in-order';
import type { NewObject } from '@turnsole/kube/client/types';
import { type BatchOutcome, runInBatches } from '@turnsole/kube/controllers/batch';
import type { ControllerContext, ObjectEvents } from '@turnsole/kube/controllers/context';
import { explain, isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { PODS, type Resource } from '@turnsole/kube/kinds/resources';

/** Creates and deletes the pods of one owner, with the Events users know from all such controllers. */
export class PodControl {
  readonly #context: ControllerContext;
  readonly #resource: Resource;
  readonly #events: ObjectEvents;

  constructor(context: ControllerContext, resource: Resource, component: string) {
    this.#context = context;
    this.#resource = resource;
    this.#events = context.eventsOf(component);
  }

  /** Creates the pods in growing batches; a namespace under deletion is no failure, but ends the work. */
  async create(
    owner: KubeObject,
    pods: readonly NewObject<Pod>[],
    signal: AbortSignal,
  ): Promise<BatchOutcome> {
    const outcome = await runInBatches(pods.length, async (index) => {
      const pod = pods[index];
      if (pod !== undefined) await this.#createOne(owner, pod, signal);
    });
    if (outcome.failure !== undefined && isNamespaceGoing(outcome.failure.error)) {
      return { succeeded: outcome.succeeded, failure: undefined };
    }
    return outcome;
  }

  async #createOne(owner: KubeObject, pod: NewObject<Pod>, signal: AbortSignal): Promise<void> {
    try {
      const { metadata } = await this.#context.writer.create<Pod>(PODS, pod, signal);
      const message = `Created pod: ${metadata.name}`;
      this.#events.record(this.#resource, owner, { type: 'Normal', reason: 'SuccessfulCreate', message });
    } catch (error) {
      if (!isNamespaceGoing(error)) {
        const message = `Error creating: ${explain(error)}`;
        this.#events.record(this.#resource, owner, { type: 'Warning', reason: 'FailedCreate', message });
      }
      throw error;
    }
  }

  /** Deletes the pods, all at once; the first failure is thrown when all attempts have ended. */
  async delete(owner: KubeObject, pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    await allInOrder(pods.map((pod) => this.#deleteOne(owner, pod, signal)));
  }

  async #deleteOne(owner: KubeObject, pod: Pod, signal: AbortSignal): Promise<void> {
    try {
      await this.#context.writer.delete(PODS, pod, signal);
    } catch (error) {
      const message = `Error deleting: ${explain(error)}`;
      this.#events.record(this.#resource, owner, { type: 'Warning', reason: 'FailedDelete', message });
      throw error;
    }
    const message = `Deleted pod: ${pod.metadata.name}`;
    this.#events.record(this.#resource, owner, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }
}
