/** The duties of the server, while this replica holds them. */
interface HeldDuties {
  /** Aborted when this replica loses them. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Decides which replica does the periodic work of the server. */
export interface DutyLock {
  /** Undefined while another replica holds them. */
  take(signal: AbortSignal): Promise<HeldDuties | undefined>;
}
