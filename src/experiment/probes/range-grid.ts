/** Moments that are the same distance apart; times are milliseconds since the epoch. */
export interface RangeGrid {
  readonly fromMs: number;
  readonly toMs: number;
  /** Above 0. */
  readonly stepMs: number;
}

/** How many moments a grid has. Pure. */
export function momentsOf({ fromMs, toMs, stepMs }: RangeGrid): number {
  return Math.floor((toMs - fromMs) / stepMs) + 1;
}
