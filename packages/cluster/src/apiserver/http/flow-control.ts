/** How much may be under way at a time. */
interface FlowLimits {
  /** @default 8_192 */
  readonly requests: number;
  /** Per user, so that others have room. @default 4_096 */
  readonly requestsPerUser: number;
  /** Bytes of bodies that are held until their requests are answered. @default 256 MiB */
  readonly bodyBytes: number;
  /** @default 128 MiB */
  readonly bodyBytesPerUser: number;
}

const MIB = 1024 * 1024;
const DEFAULT_FLOW_LIMITS: FlowLimits = {
  requests: 8_192,
  requestsPerUser: 4_096,
  bodyBytes: 256 * MIB,
  bodyBytesPerUser: 128 * MIB,
};

/** One request under way. */
export interface Admission {
  /** Reserves room for more of its body; false: no room is left. */
  hold(bytes: number): boolean;
  /** The request is answered, or goes on as a stream. Idempotent. */
  leave(): void;
}

interface Share {
  requests: number;
  bytes: number;
}

/**
 * Counts requests and their bodies, in all and by user: what priority and fairness does on a real server, without its
 * queues, because here nearly every request is answered within one turn.
 */
export class FlowControl {
  readonly #limits: FlowLimits;
  readonly #all: Share = { requests: 0, bytes: 0 };
  readonly #users = new Map<string, Share>();

  constructor(limits: FlowLimits = DEFAULT_FLOW_LIMITS) {
    this.#limits = limits;
  }

  /** Lets a request in; undefined: too many are under way. */
  enter(user: string): Admission | undefined {
    const all = this.#all;
    const share = this.#users.get(user) ?? { requests: 0, bytes: 0 };
    const { requests, requestsPerUser, bodyBytes, bodyBytesPerUser } = this.#limits;
    if (all.requests >= requests || share.requests >= requestsPerUser) return undefined;
    this.#users.set(user, share);
    all.requests += 1;
    share.requests += 1;
    let held = 0;
    let isUnderWay = true;
    return {
      hold: (bytes) => {
        if (all.bytes + bytes > bodyBytes || share.bytes + bytes > bodyBytesPerUser) return false;
        held += bytes;
        all.bytes += bytes;
        share.bytes += bytes;
        return true;
      },
      leave: () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        all.requests -= 1;
        share.requests -= 1;
        all.bytes -= held;
        share.bytes -= held;
        if (share.requests === 0) this.#users.delete(user);
      },
    };
  }
}
