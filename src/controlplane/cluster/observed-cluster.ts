import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import { TimeLimit } from '@turnsole/kube/base/time-limit';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { Informer } from '@turnsole/kube/runtime/informer';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES, CHAOS_RESULTS, CHAOS_SCHEDULES } from '../../api/index.ts';
import { RunPodLogs } from '../../services/logs/run-pod-logs.ts';
import { Refusal } from '../access/refusal.ts';
import type { ClusterKind } from '../schema/generated/types.ts';

/** The resource of each kind. */
const RESOURCES: Readonly<Record<ClusterKind, Resource>> = {
  ChaosEngine: CHAOS_ENGINES,
  ChaosResult: CHAOS_RESULTS,
  ChaosSchedule: CHAOS_SCHEDULES,
  Workflow: WORKFLOWS,
  CronWorkflow: CRON_WORKFLOWS,
};

/** How long an API server may take for its first answers. */
const ANSWER_MS = 10_000;

export const CLUSTER_KINDS = Object.keys(RESOURCES) as readonly ClusterKind[];

/** The cluster that the server itself watches: informers of its chaos and workflows, and the ends of the logs of their pods. */
export class ObservedCluster {
  readonly client: KubeClient;
  /** Of the infrastructure that it is in projects. */
  readonly name: string;
  readonly logs: RunPodLogs;
  readonly #informers: ReadonlyMap<ClusterKind, Informer<KubeObject>>;
  readonly #listeners = new Set<() => void>();
  readonly #clock: Clock;

  constructor(client: KubeClient, name: string, clock: Clock, logger: Logger) {
    this.client = client;
    this.name = name;
    this.#clock = clock;
    this.#informers = new Map(
      CLUSTER_KINDS.map((kind) => [kind, new Informer({ client, resource: RESOURCES[kind], clock, logger })]),
    );
    const notifyListeners = (): void => {
      for (const listener of [...this.#listeners]) listener();
    };
    this.logs = new RunPodLogs({ client, clock, logger });
    this.logs.onChange(notifyListeners);
    for (const informer of this.#informers.values())
      informer.addHandler({ onAdd: notifyListeners, onUpdate: notifyListeners, onDelete: notifyListeners });
  }

  /** The present time, in milliseconds since the epoch. */
  get nowMs(): number {
    return this.#clock.now();
  }

  start(): void {
    for (const informer of this.#informers.values()) informer.start();
    this.logs.start();
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.logs.stop(),
      ...[...this.#informers.values()].map((informer) => informer.stop()),
    ]);
  }

  /**
   * Resolves when the API server has said of each kind what there is, or that it does not serve it.
   *
   * @throws Refusal when it has not within {@link ANSWER_MS} · the signal's reason
   */
  async answered(signal: AbortSignal): Promise<void> {
    using limit = new TimeLimit(this.#clock, ANSWER_MS, noAnswer);
    const waited = AbortSignal.any([signal, limit.signal]);
    await Promise.all([...this.#informers.values()].map((informer) => informer.whenAnswered(waited)));
  }

  /** Present objects of a kind. */
  list(kind: ClusterKind): readonly KubeObject[] {
    return this.#informers.get(kind)?.lister.list() ?? [];
  }

  /** Calls the listener after each change of any object. @returns removes the listener */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function noAnswer(): Refusal {
  const sentence = 'the API server of the cluster has not answered yet; try again in a moment';
  return new Refusal('unavailable', sentence);
}
