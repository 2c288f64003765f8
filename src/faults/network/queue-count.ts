/** Counts of a queue since it was added. */
export interface QueueCount {
  readonly kind: string;
  /** `7c12:`. */
  readonly handle: string;
  /** Packets that have left it. */
  readonly sent: number;
  readonly dropped: number;
  /** How often a packet had to wait for the rate. */
  readonly overlimits: number;
  /** Packets that wait in it. */
  readonly waiting: number;
}

/** Reads `tc -s qdisc show`. Pure. */
export function parseQueueCounts(listing: string): QueueCount[] {
  return listing.split(/^(?=qdisc )/m).flatMap((text) => {
    const [, kind, handle] = /^qdisc (\S+) ([0-9a-f]+:)/.exec(text) ?? [];
    const counts = /Sent \d+ bytes (\d+) pkt \(dropped (\d+), overlimits (\d+) /.exec(text);
    if (kind === undefined || handle === undefined || counts === null) return [];
    const [sent = 0, dropped = 0, overlimits = 0] = counts.slice(1).map(Number);
    const waiting = Number(/backlog \S+ (\d+)p /.exec(text)?.[1] ?? 0);
    return [{ kind, handle, sent, dropped, overlimits, waiting }];
  });
}
