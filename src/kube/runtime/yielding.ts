/** A component that gives way to another of its kind. */
import { type Lease, objectKey, type Pod } from '../../api/core.ts';
import { isActive } from '../../api/pod-phase.ts';
import { LEASES, PODS } from '../../api/resources.ts';
import type { KubeClient } from '../client/types.ts';
import { type Clock, systemClock } from './clock.ts';
import { Informer } from './informer.ts';
import { type Logger, silentLogger } from './log.ts';

/** A holder whose lease names no duration; the default of Kubernetes' leader election. */
const DEFAULT_LEASE_MS = 15_000;
/** After a failure to take up or leave off the work. */
const RETRY_MS = 5_000;

/** Whether another one leads: by which lease, and until when its promise holds unless it is renewed. */
type OtherLeader = { readonly holder: string; readonly lease: string; readonly untilMs: number } | undefined;

/** The leader in one of these leases, if any: a holder whose promise is not older than its duration. Pure. */
export function leaderOf(leases: readonly Lease[], nowMs: number): OtherLeader {
  const live = leases.flatMap(({ metadata, spec }) => {
    const holder = spec?.holderIdentity ?? '';
    const renewedMs = Date.parse(spec?.renewTime ?? '');
    if (holder === '' || Number.isNaN(renewedMs)) return [];
    const { leaseDurationSeconds } = spec ?? {};
    const durationMs = leaseDurationSeconds === undefined ? DEFAULT_LEASE_MS : leaseDurationSeconds * 1000;
    const untilMs = renewedMs + durationMs;
    return untilMs > nowMs
      ? [{ holder, lease: `${metadata.namespace ?? ''}/${metadata.name}`, untilMs }]
      : [];
  });
  return live.sort((a, b) => b.untilMs - a.untilMs)[0];
}

/** Something that works until it is stopped. */
interface Work {
  stop(): Promise<void>;
}

/** A component that gives way, and how its peers are recognised. */
interface YieldingOptions {
  readonly client: KubeClient;
  /** Name of the Lease, in any namespace, by which a peer leads. */
  readonly leaseName: string;
  /** Selects the pods of peers in any namespace: they lead while they are active, also without a Lease. @default none */
  readonly podSelector?: string;
  /** Begins the work; called again after a peer has gone. */
  readonly start: () => Promise<Work>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Ends the first look at the leases. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a component that works while no peer leads, in whatever namespace, and stands aside while one does. It resolves when it works,
 * or knows that it has to wait.
 */
export async function startYielding(options: YieldingOptions): Promise<Work> {
  const { client, leaseName, clock = systemClock, logger = silentLogger } = options;
  const leases = new Informer<Lease>({
    client,
    clock,
    logger,
    resource: LEASES,
    fieldSelector: `metadata.name=${leaseName}`,
  });
  const { podSelector } = options;
  const pods =
    podSelector === undefined
      ? undefined
      : new Informer<Pod>({ client, clock, logger, resource: PODS, labelSelector: podSelector });
  const shift = new Shift(options.start, clock, logger, {
    leases: () => leases.lister.list(),
    pods: () => pods?.lister.list().filter(isActive) ?? [],
  });
  const look = (): void => shift.lookLater();
  const watches = [leases, ...(pods === undefined ? [] : [pods])];
  for (const watch of watches) {
    watch.addHandler({ onAdd: look, onUpdate: look, onDelete: look });
    watch.start();
  }
  const stopWatching = async (): Promise<void> => {
    await Promise.all(watches.map((watch) => watch.stop()));
  };
  // At once: a peer that leads already is seen by the first list, and the first pass does not wait.
  try {
    await Promise.all(watches.map((watch) => watch.whenSynced(options.signal)));
    await shift.look();
  } catch (error) {
    await stopWatching();
    await shift.end();
    throw error;
  }
  return {
    stop: async () => {
      await stopWatching();
      await shift.end();
    },
  };
}

/** The objects by which peers show that they run. */
interface Peers {
  readonly leases: () => readonly Lease[];
  readonly pods: () => readonly Pod[];
}

/** Starts and stops the work, one change at a time. */
class Shift {
  readonly #start: () => Promise<Work>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #peers: Peers;
  #work: Work | undefined;
  #changing: Promise<void> = Promise.resolve();
  #stopTimer = (): void => {};
  #hasEnded = false;

  constructor(start: () => Promise<Work>, clock: Clock, logger: Logger, peers: Peers) {
    this.#start = start;
    this.#clock = clock;
    this.#logger = logger;
    this.#peers = peers;
  }

  /** Rejects when the work could not be taken up or left off; that is tried again. */
  look(): Promise<void> {
    this.#changing = this.#changing
      .catch(() => {})
      .then(() => this.#change())
      .catch((error: unknown) => {
        // No event of a lease or pod has to come that would ask for it.
        if (!this.#hasEnded) this.#lookIn(RETRY_MS);
        throw error;
      });
    return this.#changing;
  }

  /** Looks when what is under way is done; a failure is logged. */
  lookLater(): void {
    this.look().catch((err: unknown) => this.#logger.error({ err }, 'cannot take up or leave off the work'));
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#stopTimer();
    // A failure has gone to the caller of look().
    await this.#changing.catch(() => {});
    await this.#work?.stop();
  }

  #lookIn(ms: number): void {
    this.#stopTimer();
    this.#stopTimer = this.#clock.setTimer(ms, () => this.lookLater(), { unref: true });
  }

  async #change(): Promise<void> {
    if (this.#hasEnded) return;
    this.#stopTimer();
    const nowMs = this.#clock.now();
    const leader = leaderOf(this.#peers.leases(), nowMs);
    const [pod] = this.#peers.pods();
    if (leader === undefined && pod === undefined) {
      this.#work ??= await this.#start();
      return;
    }
    // A leader that dies releases nothing: its lease runs out. The watch reports the end of a pod.
    if (leader !== undefined) this.#lookIn(leader.untilMs - nowMs);
    if (this.#work === undefined) return;
    const fields = { ...leader, ...(pod !== undefined && { pod: objectKey(pod) }) };
    this.#logger.info(fields, 'a peer leads; standing aside');
    const work = this.#work;
    this.#work = undefined;
    await work.stop();
  }
}
