/** One who wants locks: a workflow, or a node of one. */
export interface LockRequest {
  /** `<namespace>/<workflow>`, for nodes `<namespace>/<workflow>/<node>`. */
  readonly holder: string;
  readonly locks: readonly WantedLock[];
  readonly priority: number;
  /** Milliseconds since 1970: with the same priority the older one comes first. */
  readonly createdAt: number;
}

export interface WantedLock {
  readonly name: string;
  /** How many may hold it. */
  readonly limit: number;
}

/** How a lock is in use. */
export interface LockUse {
  readonly name: string;
  /** How many hold it. */
  readonly held: number;
  /** How many wait for it. */
  readonly pending: number;
}

type LockAnswer =
  | { readonly kind: 'held' }
  | { readonly kind: 'waiting'; readonly lock: string; readonly message: string };

interface Lock {
  limit: number;
  readonly holders: Set<string>;
  /** In the order in which they get it. */
  waiting: LockRequest[];
}

/**
 * Which workflow or node holds a lock, and which ones wait. A request gets all of its locks or none; among requests that wait for one
 * lock, priority and then age decide, so that a later request does not pass by. Pure but for its own state.
 */
export class LockTable {
  readonly #locks = new Map<string, Lock>();
  readonly #taken: (name: string) => void;

  /** @param taken called with each lock that gets a holder; not with those that are restored */
  constructor(taken: (name: string) => void = () => {}) {
    this.#taken = taken;
  }

  /** Requests locks. A holder that requests again keeps its place in the queue. */
  acquire(request: LockRequest): LockAnswer {
    for (const wanted of request.locks) this.#queue(wanted, request);
    return this.take(request);
  }

  /** Gives one who waits its locks, if it is its turn. */
  take(request: LockRequest): LockAnswer {
    const missing = request.locks.find(({ name }) => !this.#mayTake(name, request.holder));
    if (missing !== undefined)
      return { kind: 'waiting', lock: missing.name, message: this.#message(missing.name) };
    for (const { name } of request.locks) {
      const lock = this.#locks.get(name);
      if (lock === undefined) continue;
      lock.waiting = lock.waiting.filter(({ holder }) => holder !== request.holder);
      if (lock.holders.has(request.holder)) continue;
      lock.holders.add(request.holder);
      this.#taken(name);
    }
    return { kind: 'held' };
  }

  /** Notes a holder of before a restart. */
  restore(name: string, holder: string): void {
    this.#lock(name).holders.add(holder);
  }

  /** Sets how many may hold a lock. */
  setLimit(name: string, limit: number): void {
    const lock = this.#locks.get(name);
    if (lock !== undefined) lock.limit = limit;
  }

  /** Releases all locks of the matching holders, and takes them out of the lines. */
  release(isReleased: (holder: string) => boolean): void {
    for (const [name, lock] of this.#locks) {
      for (const holder of lock.holders) if (isReleased(holder)) lock.holders.delete(holder);
      lock.waiting = lock.waiting.filter(({ holder }) => !isReleased(holder));
      if (lock.holders.size === 0 && lock.waiting.length === 0) this.#locks.delete(name);
    }
  }

  /** All who wait, each once, in order of their lines. */
  waiting(): LockRequest[] {
    const requests = [...this.#locks.values()].flatMap(({ waiting }) => waiting);
    return [...new Map(requests.map((request) => [request.holder, request])).values()];
  }

  /** All locks that have holders or waiters. */
  uses(): LockUse[] {
    return [...this.#locks].map(([name, { holders, waiting }]) => ({
      name,
      held: holders.size,
      pending: waiting.length,
    }));
  }

  holders(name: string): readonly string[] {
    return [...(this.#locks.get(name)?.holders ?? [])];
  }

  /** The locks that the named holders hold, and those that they wait for. */
  of(isOwn: (holder: string) => boolean): {
    readonly holding: [string, string][];
    readonly waiting: string[];
  } {
    const holding: [string, string][] = [];
    const waiting: string[] = [];
    for (const [name, lock] of this.#locks) {
      for (const holder of lock.holders) if (isOwn(holder)) holding.push([name, holder]);
      if (lock.waiting.some(({ holder }) => isOwn(holder))) waiting.push(name);
    }
    return { holding, waiting };
  }

  #lock(name: string): Lock {
    let lock = this.#locks.get(name);
    if (lock === undefined) {
      lock = { limit: Number.POSITIVE_INFINITY, holders: new Set(), waiting: [] };
      this.#locks.set(name, lock);
    }
    return lock;
  }

  #queue({ name, limit }: WantedLock, request: LockRequest): void {
    const lock = this.#lock(name);
    lock.limit = limit;
    if (lock.holders.has(request.holder)) return;
    const others = lock.waiting.filter(({ holder }) => holder !== request.holder);
    lock.waiting = [...others, request].sort(byTurn);
  }

  #mayTake(name: string, holder: string): boolean {
    const lock = this.#lock(name);
    if (lock.holders.has(holder)) return true;
    const place = lock.waiting.findIndex((request) => request.holder === holder);
    return place < lock.limit - lock.holders.size;
  }

  #message(name: string): string {
    const { limit, holders } = this.#lock(name);
    return `Waiting for ${name} lock. Lock status: ${Math.max(0, limit - holders.size)}/${limit}`;
  }
}

function byTurn(a: LockRequest, b: LockRequest): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.holder < b.holder ? -1 : 1);
}
