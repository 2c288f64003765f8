import type { KubeClient } from '@turnsole/kube/client/types';
import { type CoreEvent, objectKey } from '@turnsole/kube/kinds/core';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import { Informer } from '@turnsole/kube/runtime/informer';

/** Reasons of Events about pulls, as kubelet gives them. */
const REASONS = ['Pulling', 'Pulled'] as const;

/** What the terminal says of an Event about an image; undefined where nothing comes from a registry. Pure. */
export function pullLine({ involvedObject, message = '' }: CoreEvent): string | undefined {
  if (!/^(?:Pulling|Successfully pulled) image /.test(message)) return undefined;
  const { name = '', namespace } = involvedObject;
  return `${objectKey({ metadata: { name, ...(namespace !== undefined && { namespace }) } })}: ${message}`;
}

/** Says how far pulls of pods are, as long as it is not stopped. What was pulled before is not told of. */
export class PullLines {
  readonly #informers: readonly Informer<CoreEvent>[];

  constructor(client: Pick<KubeClient, 'list' | 'watch'>, say: (line: string) => void) {
    const tell = (event: CoreEvent): void => {
      const line = pullLine(event);
      if (line !== undefined) say(line);
    };
    this.#informers = REASONS.map((reason) => {
      const informer = new Informer<CoreEvent>({
        client,
        resource: EVENTS,
        fieldSelector: `reason=${reason}`,
      });
      // The same thing once more only counts up.
      const onUpdate = (event: CoreEvent, before: CoreEvent): void => {
        if (event.count !== before.count) tell(event);
      };
      informer.addHandler({ onAdd: (event, isInitial) => (isInitial ? undefined : tell(event)), onUpdate });
      informer.start();
      return informer;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.stop()));
  }
}
