import type { KubeClient } from '@turnsole/kube/client/types';
import { objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { Informer, Logger } from '@turnsole/kube/runtime/index';

/** `podSpecLogStrategy` of the configuration. */
export interface PodSpecLogStrategy {
  readonly failedPod?: boolean;
  readonly allPods?: boolean;
}

interface PodSpecLogOptions {
  readonly client: KubeClient;
  /** Pods whose nodes are not recorded yet. */
  readonly pods: Informer<Pod>;
  readonly logger: Logger;
  readonly strategy: () => PodSpecLogStrategy;
}

/** Logs the specs of pods: of all that are new, or of those that fail. */
export class PodSpecLog {
  readonly #options: PodSpecLogOptions;
  readonly #stop = new AbortController();
  #unsubscribe: () => void = () => {};

  constructor(options: PodSpecLogOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    const { pods, strategy } = this.#options;
    this.#unsubscribe = pods.addHandler({
      onAdd: (pod, isInitial) => {
        if (!isInitial && strategy().allPods === true) this.#log(pod, 'a pod was made');
      },
      onUpdate: (pod, old) => {
        const fails = pod.status?.phase === 'Failed' && old.status?.phase !== 'Failed';
        if (fails && strategy().failedPod === true) this.#log(pod, 'a pod has failed');
      },
    });
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    this.#stop.abort();
    return Promise.resolve();
  }

  /** The local copy is without most of the spec, so it is read for this. */
  #log({ metadata }: Pod, message: string): void {
    const { client, logger } = this.#options;
    const { name, namespace } = metadata;
    const pod = objectKey({ metadata });
    client.find<Pod>(PODS, name, { namespace, signal: this.#stop.signal }).then(
      (found) => logger.info({ pod, spec: found?.spec }, message),
      (error: unknown) => {
        if (!this.#stop.signal.aborted)
          logger.warn({ pod, err: error }, `${message}, and its spec cannot be read`);
      },
    );
  }
}
