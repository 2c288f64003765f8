/** Outcome of one attempt; the message says what was found, in kubelet's words. */
export interface CheckOutcome {
  readonly ok: boolean;
  readonly message: string;
}
