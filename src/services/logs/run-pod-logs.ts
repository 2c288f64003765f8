import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { KeptLog, LogTails } from '@turnsole/kube/runtime/log-tails';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { LABEL_CHAOS_UID } from '../../api/labels.ts';
import { tailsOfRunPods } from '../../engines/run-pod-tails.ts';

/** The end of the log of a pod of a run, and whose pod it was. */
export interface RunPodLog extends KeptLog {
  /** Of the engine; undefined for the pod of a step. */
  readonly engineUid: string | undefined;
  /** Name of the workflow; undefined for a pod of an engine. */
  readonly workflow: string | undefined;
  /** When its pod was made, RFC 3339. */
  readonly createdAt: string;
}

/** Whose logs, and the means. */
interface RunPodLogsOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'logTexts'>;
  /** @default all */
  readonly namespaces?: readonly string[];
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Logs that are kept in memory: 16 MiB. Those that ended first go for others. */
const MOST_LOGS = 256;

/** Keeps the ends of the logs of all pods of runs in memory, while this process looks at a cluster: those of steps, runners, experiments, helpers. */
export class RunPodLogs {
  readonly #tails: readonly LogTails[];
  /** By namespace and name, in the order of their ends. */
  readonly #logs = new Map<string, RunPodLog>();
  readonly #listeners = new Set<() => void>();

  constructor({ namespaces, ...means }: RunPodLogsOptions) {
    this.#tails = tailsOfRunPods(namespaces, { ...means, onLog: (log, pod) => this.#keep(log, pod) });
  }

  start(): void {
    for (const tails of this.#tails) tails.start();
  }

  /** Resolves when everything that was followed is kept. */
  async stop(): Promise<void> {
    await Promise.all(this.#tails.map((tails) => tails.stop()));
  }

  /** Those that are kept, in the order in which their pods were made. */
  all(): readonly RunPodLog[] {
    const keyOf = ({ createdAt, namespace, name }: RunPodLog): string => `${createdAt} ${namespace}/${name}`;
    return [...this.#logs.values()].toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
  }

  /** The log of a pod; undefined for one that is not kept. */
  of(namespace: string, pod: string): RunPodLog | undefined {
    return this.#logs.get(`${namespace}/${pod}`);
  }

  /** Calls back after a log is kept. @returns removes the listener */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #keep(log: KeptLog, { metadata }: Pod): void {
    const { labels = {}, creationTimestamp = '' } = metadata;
    const key = `${log.namespace}/${log.name}`;
    this.#logs.delete(key);
    this.#logs.set(key, {
      ...log,
      engineUid: labels[LABEL_CHAOS_UID],
      workflow: labels[LABEL_WORKFLOW],
      createdAt: creationTimestamp,
    });
    const [first] = this.#logs.size > MOST_LOGS ? this.#logs.keys() : [];
    if (first !== undefined) this.#logs.delete(first);
    for (const listener of [...this.#listeners]) listener();
  }
}
