import type { Clock } from '@turnsole/kube/base/clock';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Lease, Node } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { metaMicroTime } from '@turnsole/kube/text/time';

const NAMESPACE = 'kube-node-lease';
const DURATION_SECONDS = 40;
/** A quarter of the lease, as kubelet renews. */
const RENEW_MS = 10_000;

/** When a node renews. */
export interface HeartbeatTiming {
  /** Between two renewals. @default 10_000 */
  readonly intervalMs?: number | undefined;
  /** When the second renewal comes, as a share of the interval, so that a thousand nodes do not renew at once. @default 1 */
  readonly phase?: number | undefined;
}

/** Says that a node is alive by renewing its Lease, which the node controller watches. */
export class Heartbeat {
  readonly #client: Pick<KubeClient, 'create' | 'patch'>;
  readonly #clock: Clock;
  readonly #node: Node;
  readonly #intervalMs: number;
  readonly #phase: number;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    node: Node,
    client: Pick<KubeClient, 'create' | 'patch'>,
    clock: Clock,
    { intervalMs = RENEW_MS, phase = 1 }: HeartbeatTiming = {},
  ) {
    this.#node = node;
    this.#client = client;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#phase = phase;
  }

  /** Renews once, and then until stopped. */
  async start(): Promise<void> {
    await this.#renew();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let waitMs = this.#intervalMs * this.#phase; ; waitMs = this.#intervalMs) {
      try {
        await this.#clock.sleep(waitMs, signal);
      } catch {
        return;
      }
      // The next renewal makes up for a missed one; four missed in a row make the node NotReady.
      await this.#renew().catch(() => {});
    }
  }

  async #renew(): Promise<void> {
    const { name, uid = '' } = this.#node.metadata;
    const renewTime = metaMicroTime(this.#clock.now());
    const options = { namespace: NAMESPACE, signal: this.#stop.signal };
    try {
      await this.#client.patch<Lease>(
        LEASES,
        name,
        'merge',
        { spec: { renewTime, holderIdentity: name } },
        options,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
      const lease = {
        metadata: { name, namespace: NAMESPACE, ownerReferences },
        spec: { holderIdentity: name, leaseDurationSeconds: DURATION_SECONDS, renewTime },
      };
      await this.#client.create<Lease>(LEASES, lease, options);
    }
  }
}
