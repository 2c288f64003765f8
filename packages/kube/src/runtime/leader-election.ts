import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../client/errors.ts';
import type { KubeClient } from '../client/types.ts';
import type { Lease } from '../kinds/core.ts';
import { LEASES } from '../kinds/resources.ts';
import { decideLease, leaseSpec, type ObservedLease, releasedSpec } from './lease-decision.ts';

/** The lease that decides, the candidate, and what it does as leader. */
export interface LeaderElectionOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Unique among the candidates: the pod's name, and something drawn where pods' names may return. */
  readonly identity: string;
  /**
   * The leader's work. Its signal fires when leadership is lost or given up; the lease is released only after it has
   * ended, so that two leaders never work at a time.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Called each time another holder is seen. */
  readonly onNewLeader?: (holder: string) => void;
  /** @default 15_000. How long a silent holder keeps the lease. */
  readonly leaseDurationMs?: number;
  /** @default 10_000. A holder that could not renew for this long stops working; less than the duration. */
  readonly renewDeadlineMs?: number;
  /** @default 2_000. Time between renewals, and between looks of a candidate that may not watch. */
  readonly retryPeriodMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly logger?: Logger;
}

/** Leadership ended against the holder's will. A process that led should end: it cannot know what its successor did. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

interface Periods {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Those of Kubernetes' own components. */
const DEFAULTS: Periods = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
/** Pause after a watch that the server ended by itself. */
const REOPEN_MS = 250;

/**
 * Stands for election until it leads, leads, and hands over.
 *
 * A standby watches the Lease, so a graceful hand-over takes one write and one watch item; a crashed leader is replaced
 * when its lease runs out.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions & Periods;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  #observed: ObservedLease;
  #knownHolder = '';
  #isLeader = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#options;
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs)) {
      throw new RangeError(
        `leader election of ${options.name}: leaseDurationMs (${leaseDurationMs}) > renewDeadlineMs (${renewDeadlineMs}) > retryPeriodMs (${retryPeriodMs}) is expected; correct the three`,
      );
    }
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).child({ lease: `${options.namespace}/${options.name}` });
    this.#observed = { lease: undefined, seenAt: this.#clock.monotonic() };
  }

  /** Whether this candidate holds the lease now. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /**
   * Resolves when the signal fires and the lease (if held) is released, or when `lead` ends by itself.
   * @throws LeadershipLostError when the lease was lost; whatever `lead` throws
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#acquire(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#isLeader = true;
    this.#logger.info({ identity: this.#options.identity }, 'leadership acquired');
    const work = new AbortController();
    const renewing = new AbortController();
    const onStop = (): void => work.abort(signal.reason);
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) onStop();
    // The lease is renewed until the work has really ended, also while it winds up.
    const renewal = this.#renewUntil(renewing.signal).catch((error: unknown) => {
      this.#isLeader = false;
      work.abort(error);
      throw error;
    });
    renewal.catch(() => {});
    try {
      await this.#options.lead(work.signal).catch((error: unknown) => {
        if (!work.signal.aborted) throw error;
      });
      renewing.abort();
      await renewal;
    } finally {
      signal.removeEventListener('abort', onStop);
      renewing.abort();
      if (this.#isLeader) {
        this.#isLeader = false;
        await renewal.catch(() => {});
        await this.#release();
      }
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        await this.#look(signal);
        const waitMs = await this.#tryHold(signal);
        if (waitMs === undefined) return;
        await this.#awaitChange(waitMs, signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#logger.warn({ err: error }, 'leader election cannot use its lease');
        await this.#clock.sleep(this.#jittered(this.#options.retryPeriodMs), signal);
      }
    }
  }

  /** Undefined once the lease is ours; else the time after which it may be. */
  async #tryHold(signal: AbortSignal): Promise<number | undefined> {
    const { identity, leaseDurationMs } = this.#options;
    const decision = decideLease(this.#observed, identity, leaseDurationMs, this.#clock.monotonic());
    const now = this.#clock.now();
    if (decision.action === 'wait') return decision.waitMs;
    try {
      if (decision.action === 'create') await this.#create(now, signal);
      else
        await this.#write(
          decision.lease,
          leaseSpec(decision.lease.spec, identity, leaseDurationMs, now),
          signal,
        );
      return undefined;
    } catch (error) {
      // Another candidate was faster; look again.
      if (isConflict(error) || isAlreadyExists(error)) return 0;
      throw error;
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, namespace, name, renewDeadlineMs } = this.#options;
    this.#observe(await client.find<Lease>(LEASES, name, { namespace, signal, timeoutMs: renewDeadlineMs }));
  }

  #observe(lease: Lease | undefined): void {
    const known = this.#observed.lease;
    const isChange =
      known === undefined ||
      lease === undefined ||
      known.metadata.uid !== lease.metadata.uid ||
      known.spec?.holderIdentity !== lease.spec?.holderIdentity ||
      known.spec?.renewTime !== lease.spec?.renewTime ||
      known.spec?.leaseDurationSeconds !== lease.spec?.leaseDurationSeconds;
    this.#observed = { lease, seenAt: isChange ? this.#clock.monotonic() : this.#observed.seenAt };
    const holder = lease?.spec?.holderIdentity ?? '';
    if (holder === this.#knownHolder) return;
    this.#knownHolder = holder;
    if (holder !== '' && holder !== this.#options.identity) this.#options.onNewLeader?.(holder);
  }

  /** Waits until the lease may have become free: a change seen by the watch, or the time being over. */
  async #awaitChange(waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs <= 0) return;
    const { client, namespace, name, retryPeriodMs } = this.#options;
    const enough = new AbortController();
    const both = AbortSignal.any([signal, enough.signal]);
    const cancel = this.#clock.setTimer(waitMs, () => enough.abort(new Error('the lease ran out')));
    try {
      const items = client.watch<Lease>(LEASES, {
        namespace,
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: this.#observed.lease?.metadata.resourceVersion,
        signal: both,
      });
      for await (const item of items) {
        if (item.type === 'BOOKMARK' || item.object.metadata.name !== name) continue;
        this.#observe(item.type === 'DELETED' ? undefined : item.object);
        // A renewal does not set the timer anew: it rings after waitMs, and the next look counts the lease from the last renewal seen.
        if ((this.#observed.lease?.spec?.holderIdentity ?? '') === '') return;
      }
      await this.#clock.sleep(Math.min(waitMs, REOPEN_MS), both);
    } catch (error) {
      signal.throwIfAborted();
      if (enough.signal.aborted) return;
      // No right to watch, or a lost position: look at intervals. Jitter keeps standbys from writing at the same time.
      this.#logger.debug({ err: error }, 'leader election cannot watch its lease');
      await this.#clock.sleep(Math.min(waitMs, this.#jittered(retryPeriodMs)), signal);
    } finally {
      cancel();
    }
  }

  async #renewUntil(stop: AbortSignal): Promise<void> {
    const { identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#options;
    let renewedAt = this.#clock.monotonic();
    while (!stop.aborted) {
      try {
        await this.#clock.sleep(retryPeriodMs, stop);
      } catch {
        return;
      }
      try {
        const beganAt = this.#clock.monotonic();
        const timeoutMs = Math.max(1, renewedAt + renewDeadlineMs - beganAt);
        await this.#renewOnce(identity, leaseDurationMs, this.#clock.now(), timeoutMs);
        renewedAt = beganAt;
      } catch (error) {
        if (error instanceof LeadershipLostError) throw error;
        if (this.#clock.monotonic() - renewedAt >= renewDeadlineMs) {
          throw new LeadershipLostError(
            `leadership of ${this.#options.namespace}/${this.#options.name} lost: the lease could not be renewed for ${renewDeadlineMs} ms; check the connection to the API server`,
            { cause: error },
          );
        }
        this.#logger.warn({ err: error }, 'leader cannot renew its lease');
      }
    }
  }

  async #renewOnce(identity: string, leaseDurationMs: number, now: number, timeoutMs: number): Promise<void> {
    const { client, namespace, name } = this.#options;
    const known = this.#observed.lease;
    if (known !== undefined) {
      try {
        await this.#write(known, leaseSpec(known.spec, identity, leaseDurationMs, now), undefined, timeoutMs);
        return;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    // The lease was written (a label, a take-over) or deleted: look who holds it.
    this.#observe(await client.find<Lease>(LEASES, name, { namespace, timeoutMs }));
    const current = this.#observed.lease;
    if (current === undefined) {
      // Creating is atomic: if a standby was faster, the next renewal finds its name.
      await this.#create(now, undefined, timeoutMs);
      return;
    }
    const holder = current.spec?.holderIdentity ?? '';
    if (holder !== identity) {
      throw new LeadershipLostError(
        `leadership of ${namespace}/${name} lost: the lease is held by ${JSON.stringify(holder)}`,
      );
    }
    await this.#write(current, leaseSpec(current.spec, identity, leaseDurationMs, now), undefined, timeoutMs);
  }

  /** A failed release only costs the successor the rest of the lease. */
  async #release(): Promise<void> {
    const lease = this.#observed.lease;
    if (lease?.spec?.holderIdentity !== this.#options.identity) return;
    try {
      await this.#write(
        lease,
        releasedSpec(lease.spec, this.#clock.now()),
        undefined,
        this.#options.retryPeriodMs,
      );
      this.#logger.info('leadership released');
    } catch (error) {
      this.#logger.warn({ err: error }, 'leader could not release its lease');
    }
  }

  async #create(
    now: number,
    signal: AbortSignal | undefined,
    timeoutMs: number = this.#options.renewDeadlineMs,
  ): Promise<void> {
    const { client, namespace, name, identity, leaseDurationMs } = this.#options;
    const lease = await client.create<Lease>(
      LEASES,
      { metadata: { name, namespace }, spec: leaseSpec(undefined, identity, leaseDurationMs, now) },
      { namespace, timeoutMs, signal },
    );
    this.#observe(lease);
  }

  async #write(
    lease: Lease,
    spec: NonNullable<Lease['spec']>,
    signal: AbortSignal | undefined,
    timeoutMs: number = this.#options.renewDeadlineMs,
  ): Promise<void> {
    const { client, namespace } = this.#options;
    const request = { namespace, timeoutMs, signal };
    this.#observe(await client.update<Lease>(LEASES, { ...lease, spec }, request));
  }

  #jittered(ms: number): number {
    return ms * (1 + 0.2 * this.#random());
  }
}
