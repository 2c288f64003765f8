/** A component that gives way to another of its kind. */

import { type Clock, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import type { KubeClient } from '../client/types.ts';
import { type Lease, objectKey, type Pod } from '../kinds/core.ts';
import { LEASES, PODS } from '../kinds/resources.ts';
import { Informer } from './informer.ts';
import { peerLife } from './peer-pods.ts';

/** A holder whose lease names no duration; the default of Kubernetes' leader election. */
const DEFAULT_LEASE_MS = 15_000;
/** After a failure to take up or leave off the work. */
const RETRY_MS = 5_000;

/** Another one that leads: by a lease of which namespace, and until when its promise holds unless it is renewed. */
interface OtherLeader {
  readonly holder: string;
  readonly lease: string;
  readonly namespace: string;
  readonly untilMs: number;
}

/** The leaders in these leases: holders whose promise is not older than its duration. Pure. */
export function leadersOf(leases: readonly Lease[], nowMs: number): OtherLeader[] {
  return leases.flatMap(({ metadata, spec }) => {
    const holder = spec?.holderIdentity ?? '';
    const renewedMs = Date.parse(spec?.renewTime ?? '');
    if (holder === '' || Number.isNaN(renewedMs)) return [];
    const { leaseDurationSeconds } = spec ?? {};
    const durationMs = leaseDurationSeconds === undefined ? DEFAULT_LEASE_MS : leaseDurationSeconds * 1000;
    const untilMs = renewedMs + durationMs;
    const { namespace = '' } = metadata;
    return untilMs > nowMs ? [{ holder, lease: `${namespace}/${metadata.name}`, namespace, untilMs }] : [];
  });
}

/** Something that works until it is stopped. */
interface Work {
  stop(): Promise<void>;
}

/** The pods of peers, in any namespace: one that works has its reach also without a Lease. */
export interface PeerPods {
  /** Label selectors; a pod that one of them selects may be a peer. */
  readonly selectors: readonly string[];
  /** Where the program in a pod works: a namespace, or everywhere for the empty text; undefined where it does not do this work. */
  readonly reachOf: (pod: Pod) => Promise<string | undefined>;
}

/** A component that gives way, and how its peers are recognised. */
interface YieldingOptions {
  readonly client: KubeClient;
  /** Name of the Lease, in any namespace, by which a peer leads. */
  readonly leaseName: string;
  /** @default none: a peer leads everywhere, by its Lease */
  readonly peerPods?: PeerPods;
  /** Begins the work everywhere but in these namespaces, which peers have; called again, after a stop, when they change. */
  readonly start: (without: readonly string[]) => Promise<Work>;
  /** Told when a pod takes over what is in its reach, and when it is there and works no more. */
  readonly onPeer?: (pod: Pod, reach: string, works: boolean) => void;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Ends the first look at the leases. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a component that works where no peer leads, and stands aside where one does. It resolves when it works, or knows that it has to
 * wait.
 */
export async function startYielding(options: YieldingOptions): Promise<Work> {
  const { client, leaseName, peerPods, clock = systemClock, logger = silentLogger } = options;
  const common = { client, clock, logger };
  const leases = new Informer<Lease>({
    ...common,
    resource: LEASES,
    fieldSelector: `metadata.name=${leaseName}`,
  });
  const pods = (peerPods?.selectors ?? []).map(
    (labelSelector) => new Informer<Pod>({ ...common, resource: PODS, labelSelector }),
  );
  const shift = new Shift(options, clock, logger, {
    leases: () => leases.lister.list(),
    pods: () => new Map(pods.flatMap(({ lister }) => lister.list()).map((pod) => [objectKey(pod), pod])),
  });
  const look = (): void => shift.lookLater();
  const watches = [leases, ...pods];
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
interface Seen {
  readonly leases: () => readonly Lease[];
  readonly pods: () => ReadonlyMap<string, Pod>;
}

/** A peer that works. */
interface Peer {
  /** A namespace, or empty for all. */
  readonly reach: string;
  /** By which it is known. */
  readonly shown: string;
  /** Of the pod that it is in, if one is known. */
  readonly pod?: string;
  /** When it has to be looked at again though nothing was seen. */
  readonly untilMs?: number;
}

/** Starts and stops the work, one change at a time. */
class Shift {
  readonly #options: Pick<YieldingOptions, 'start' | 'peerPods' | 'onPeer'>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #seen: Seen;
  #work: Work | undefined;
  /** The namespaces that the work leaves out, as one text. */
  #without = '';
  /** The reach of pods that work, by their keys. */
  #peers: ReadonlyMap<string, string> = new Map();
  #changing: Promise<void> = Promise.resolve();
  #stopTimer = (): void => {};
  #hasEnded = false;

  constructor(
    options: Pick<YieldingOptions, 'start' | 'peerPods' | 'onPeer'>,
    clock: Clock,
    logger: Logger,
    seen: Seen,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#seen = seen;
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
    const peers = await this.#peersAt(nowMs);
    if (this.#hasEnded) return;
    // A leader that dies releases nothing: its lease runs out. The watch reports the end of a pod.
    const untilMs = Math.min(...peers.map((peer) => peer.untilMs ?? Number.POSITIVE_INFINITY));
    if (Number.isFinite(untilMs)) this.#lookIn(untilMs - nowMs);
    this.#tell(peers);
    const without = [...new Set(peers.map(({ reach }) => reach))].sort();
    const isLeft = !without.includes('');
    if (this.#work !== undefined && (!isLeft || this.#without !== without.join())) {
      this.#logger.info(
        { peers: peers.map(({ shown }) => shown), namespaces: without },
        'peers have changed',
      );
      const work = this.#work;
      this.#work = undefined;
      await work.stop();
    }
    if (!isLeft || this.#work !== undefined) return;
    this.#without = without.join();
    this.#work = await this.#options.start(without);
  }

  async #peersAt(nowMs: number): Promise<Peer[]> {
    const { peerPods } = this.#options;
    const leaders = leadersOf(this.#seen.leases(), nowMs);
    const peers: Peer[] = [];
    const known = new Set<OtherLeader>();
    for (const [key, pod] of this.#seen.pods()) {
      const life = peerLife(pod, nowMs);
      const leader = leaders.find(({ namespace }) => namespace === pod.metadata.namespace);
      if (!life.works && leader === undefined) continue;
      const reach = await peerPods?.reachOf(pod);
      if (reach === undefined) continue;
      if (life.works) peers.push({ reach, shown: `pod ${key}`, pod: key, untilMs: life.untilMs });
      if (leader === undefined) continue;
      known.add(leader);
      peers.push({ reach, shown: `lease ${leader.lease}`, untilMs: leader.untilMs });
    }
    // Its holder runs outside of the cluster, or in a pod that is not known: it may work everywhere.
    for (const leader of leaders)
      if (!known.has(leader))
        peers.push({ reach: '', shown: `lease ${leader.lease}`, untilMs: leader.untilMs });
    return peers;
  }

  #tell(peers: readonly Peer[]): void {
    const before = this.#peers;
    this.#peers = new Map(peers.flatMap(({ pod, reach }) => (pod === undefined ? [] : [[pod, reach]])));
    const pods = this.#seen.pods();
    const tell = (key: string, reach: string, works: boolean): void => {
      const pod = pods.get(key);
      if (pod !== undefined) this.#options.onPeer?.(pod, reach, works);
    };
    for (const [key, reach] of this.#peers) if (before.get(key) !== reach) tell(key, reach, true);
    for (const [key, reach] of before) if (!this.#peers.has(key)) tell(key, reach, false);
  }
}
