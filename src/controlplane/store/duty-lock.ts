/** The duties of the server, while this replica has them. */
interface HeldDuties {
  /** Aborted when they are this replica's no more. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Decides which replica does what the server does by itself. */
export interface DutyLock {
  /** Undefined while another replica has them. */
  take(signal: AbortSignal): Promise<HeldDuties | undefined>;
}
