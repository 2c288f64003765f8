import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type Logger, retryOnConflict } from '@turnsole/kube/runtime/index';
import { messageOf } from '@turnsole/kube/text/error-message';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';

/** Says in the conditions of workflows which of their metrics cannot be shown. */
export class MetricsErrors {
  readonly #client: KubeClient;
  readonly #logger: Logger;
  #last: Promise<void> = Promise.resolve();

  constructor(client: KubeClient, logger: Logger) {
    this.#client = client;
    this.#logger = logger;
  }

  /** In the background: a metric holds up no workflow. */
  report(workflow: Workflow, message: string): void {
    const { namespace, name } = workflow.metadata;
    this.#logger.warn({ workflow: `${namespace}/${name}`, detail: message }, 'a metric cannot be shown');
    this.#last = this.#last
      .then(() => this.#write(workflow, message))
      .catch((error: unknown) => {
        if (isNotFound(error)) return;
        this.#logger.warn(
          { workflow: `${namespace}/${name}`, detail: messageOf(error) },
          'the condition MetricsError is not written',
        );
      });
  }

  flush(): Promise<void> {
    return this.#last;
  }

  async #write({ metadata }: Workflow, message: string): Promise<void> {
    const { name, namespace = '', uid } = metadata;
    await retryOnConflict(async () => {
      const fresh = await this.#client.find<Workflow>(WORKFLOWS, name, { namespace });
      if (fresh === undefined || fresh.metadata.uid !== uid) return;
      const others = (fresh.status?.conditions ?? []).filter(({ type }) => type !== 'MetricsError');
      const conditions = [...others, { type: 'MetricsError', status: 'True', message }];
      const { resourceVersion } = fresh.metadata;
      await this.#client.patch(
        WORKFLOWS,
        name,
        'merge',
        { metadata: { resourceVersion }, status: { conditions } },
        { namespace },
      );
    });
  }
}
